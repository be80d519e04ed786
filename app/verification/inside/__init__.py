"""Sources that run in boxes, where only the package's own code runs; here they are read as texts, not imported."""
