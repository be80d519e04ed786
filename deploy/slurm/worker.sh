#!/bin/bash
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --no-requeue
#SBATCH --open-mode=append
# 60 s before the end of its time, the worker takes no more judgings.
#SBATCH --signal=B:TERM@60
# A worker as a batch job. Submit it in the checkout: sbatch deploy/slurm/worker.sh [options of `allclose worker`]
set -eu
export ALLCLOSE_DATABASE_URL_FILE="$HOME/.allclose/database-url" # without a password, which is in ~/.pgpass
export ALLCLOSE_DATA="$HOME/.allclose/data/$SLURMD_NODENAME"
export ALLCLOSE_SANDBOX=bubblewrap # an engine's containers would escape the limits of the job
# The worker takes the place of the shell, so that it gets Slurm's signals.
exec .venv/bin/allclose worker "$@"
