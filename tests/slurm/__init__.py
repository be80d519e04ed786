"""Workers as batch jobs: a controller and a node of Slurm, and PostgreSQL over TLS, all of Debian's packages."""
