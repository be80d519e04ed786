"""Which accepted solutions are fastest and leanest, of users who want to be shown."""
