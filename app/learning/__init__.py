"""What helps to learn from a problem: hints, the quiz, the solution, and saying that one is through with it."""
