"""What people decide about mentions: the review queue and the decision files."""
