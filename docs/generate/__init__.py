"""Generates docs/api.md, docs/rights.md and the Python client from the OpenAPI document and the table of permissions.

`python -m docs.generate` writes the files. With `--check` it names those that are out of date.
"""
