"""Allclose from Python: a typed method for each call of the REST API.

    from app.client.client import Client

`model.py` and `calls/` are made from the OpenAPI document by `make api`. Nothing here needs the rest of Allclose: httpx
and pydantic are all that it imports.
"""
