"""`%load_ext allclose`: what a notebook loads (app/cli/notebook.py)."""

from app.cli.notebook import load_ipython_extension

__all__ = ["load_ipython_extension"]
