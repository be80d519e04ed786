"""A Python client for Allclose, with a typed method for each operation of the REST API.

    from app.client.client import Client

`make api` generates `model.py` and `calls/` from the OpenAPI document. The client imports only httpx and pydantic, and
nothing else of Allclose.
"""
