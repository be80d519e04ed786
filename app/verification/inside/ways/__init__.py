"""Other ways to compute the same answer. Each file has a `call` that replaces the plain call."""
