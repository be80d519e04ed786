"""Learning from a problem: hints, the quiz, the solution, and completion."""
