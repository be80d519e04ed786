"""A Python client for Allclose, with the calls that commands and notebooks need.

    from app.client.client import Client

The client imports only httpx and pydantic, and nothing else of Allclose.
"""
