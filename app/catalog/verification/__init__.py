"""What came of verifying a package: a model without any numerical library, for terminal, JSON and page."""
