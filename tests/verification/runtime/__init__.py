"""Code that tests run with the Python of boxes."""
