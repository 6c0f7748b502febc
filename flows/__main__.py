"""`python -m flows`: the same as the command `paperlake`."""

from flows.cli import main

main()
