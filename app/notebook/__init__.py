"""Allclose in a notebook: after `%load_ext allclose`, `%%allclose SLUG` submits a cell and shows the result.

The kernel renders the HTML with the templates of the pages. The server sends only texts and numbers, never HTML.
"""

from app.notebook.magic import load_ipython_extension

__all__ = ["load_ipython_extension"]
