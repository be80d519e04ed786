"""Backups: a deployment's whole database in one file, by PostgreSQL's pg_dump and pg_restore.

    backup.allclose            a ZIP archive, mode 0600: it contains password hashes and hidden seeds
    ├── database.dump          pg_dump's custom format
    └── manifest.json          the versions, the schema's revision, each table's number of rows, the dump's SHA-256

A backup reads one snapshot while the service goes on. A restore fills a new database, compares it with the manifest and
upgrades its schema. Only then the new database replaces the old one, by swapping names.
"""
