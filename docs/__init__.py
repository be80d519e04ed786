"""Documentation of Allclose, and `docs.generate`, which writes some of it."""
