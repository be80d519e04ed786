"""Mutation strength: small faults planted in the reference, and how many of them the cases notice."""
