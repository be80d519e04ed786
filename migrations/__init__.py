"""The database's schema, step by step. `app.schema` runs them at start; CONTRIBUTING.md says how to add one."""
