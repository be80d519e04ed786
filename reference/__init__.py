"""What is made from the OpenAPI document and the table of rights: docs/api.md, docs/rights.md, the client's code.

`python -m reference` writes them; with `--check` it says which are not what the API is now.
"""
