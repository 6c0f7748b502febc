"""Reading lists: where they are read from, how they are parsed, checked and edited."""
