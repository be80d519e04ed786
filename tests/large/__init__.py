"""A database as it is after a year: 500 users, 20 problems, 50,000 submissions; and what is asked of it.

`test_plans.py` repeats the queries of all pages, GET endpoints and steps of a verification, and reads their plans: none
may scan a growing table.

To add a query, put its index into the model and a migration. A new path parameter gets a line in `IDENTIFIERS` of
`address.py`, a new filter one in `NARROWED`, a growing table its rows in `statement.py`.
"""
