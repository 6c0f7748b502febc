"""The command line: a module a command, and what they share to print and to start fast."""
