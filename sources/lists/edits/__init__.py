"""Changes to a reading list's own text: where its fields stand, the form it is written in, and the smallest edits."""
