"""`%load_ext allclose`: what a notebook loads (app/notebook)."""

from app.notebook import load_ipython_extension

__all__ = ["load_ipython_extension"]
