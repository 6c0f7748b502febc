"""What is mended in a list: edits for each kind of fault, until there is nothing left to mend. Pure."""
