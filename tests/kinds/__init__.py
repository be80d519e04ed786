"""Packages of each kind of answer, which tests judge in real boxes."""
