"""Allclose in a notebook: `%load_ext allclose`, then `%%allclose SLUG` sends a cell and shows what became of it.

Everything shown is made here, from the API's object and with the templates of the pages: a server gives texts and
numbers, never HTML.
"""

from app.notebook.magic import load_ipython_extension

__all__ = ["load_ipython_extension"]
