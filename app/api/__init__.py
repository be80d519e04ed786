"""REST v1 under /api/v1, one module per resource, and the endpoints for monitoring at the root."""
