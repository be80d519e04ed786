"""Runs with the Python that boxes have; the tests beside it read what came of it."""
