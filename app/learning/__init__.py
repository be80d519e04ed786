"""Learning from a problem: hints, the quiz, and the solution."""
