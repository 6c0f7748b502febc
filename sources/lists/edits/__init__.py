"""Changes to a reading list's own text: where its fields are, the form it is written in, and the smallest edits."""
