"""`allclose admin`: administration in a terminal, for a person with access to the database.

Each command calls the same function as the admin page and the REST endpoint of its name. The audit log records the
channel `command` and no user.
"""
