"""Everything of a deployment in one file, and back: PostgreSQL's own pg_dump and pg_restore, with a manifest beside.

    backup.allclose            a ZIP archive, mode 0600: it holds password hashes and hidden seeds
    ├── database.dump          pg_dump's custom format
    └── manifest.json          what it is, of which schema, how many rows each table has, the dump's SHA-256

A backup reads one snapshot, and the service goes on meanwhile. A restore fills a database of its own, compares it with
the manifest, upgrades its schema, and only then takes the place of the one that is there, by its name.
"""
