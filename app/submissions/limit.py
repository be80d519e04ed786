"""Limits that commands check without a database."""

SOURCE_BYTES = 256 * 1024
