"""Scripts that run in a container of an image; each prints one line of JSON. They are handed over as text."""
