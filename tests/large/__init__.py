"""A database as it is after a year: 500 users, 20 problems, 50,000 submissions; and what is asked of it."""
