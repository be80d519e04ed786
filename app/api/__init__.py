"""REST v1 under /api/v1, one module per resource, and the endpoints for machines at the root."""
