"""Reading the lake: SQL that cannot write, formats of rows, files for users, what changed since."""
