#!/usr/bin/env bash
# Collects the wheels of the service's image with this machine's own pip, for builds that reach no package index:
# `container/wheels.sh`, then `docker compose build`. This Python has to be the base image's release.
# PIP: the pip and its arguments. `make images` collects those of the boxes' image.
set -euo pipefail
cd "$(dirname "$0")/.."

wheels=build/wheels/app
python=.venv/bin/python
wanted=$("$python" --version && "$python" container/requirements.py pyproject.toml && echo "setuptools>=77")
if [ "$wanted" = "$(cat "$wheels/.collected" 2>/dev/null)" ]; then exit; fi
echo "Collecting the wheels of the service's image …"
rm -rf "$wheels" "$wheels.new"
# shellcheck disable=SC2086 # words, not one
echo "$wanted" | tail -n +2 |
    ${PIP:-.venv/bin/pip} download --quiet --only-binary :all: --dest "$wheels.new" --requirement /dev/stdin
echo "$wanted" >"$wheels.new/.collected"
mv "$wheels.new" "$wheels"
