"""Runs with the Python that boxes have."""
