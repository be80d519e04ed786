"""What a user has done: solved problems, days, verdicts."""
