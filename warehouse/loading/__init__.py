"""From records to one committed snapshot: checks, drift, what is due for harvest, replies on disk."""
