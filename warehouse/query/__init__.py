"""Reading the lake: SQL that cannot write, what changed since, and the catalogue as files and bibliographies."""
