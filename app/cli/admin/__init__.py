"""`allclose admin`: what admins do, without a browser, by whoever may reach the database.

Each command calls what the page and the REST endpoint of its name call. The audit log says `command`, and nobody.
"""
