"""Limits that also commands without a database know."""

SOURCE_BYTES = 256 * 1024
