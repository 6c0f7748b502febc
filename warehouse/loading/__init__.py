"""From rows to a committed snapshot: writes, checks, what is due for harvest, and stored replies."""
