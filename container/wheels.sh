#!/usr/bin/env bash
# Collects the wheels of the service's image with this machine's own pip, for builds that reach no package index:
# `container/wheels.sh`, then `docker compose build`. `make images` collects those of the boxes' image.
# PIP: the pip and its arguments.
# BASE: the image that the build takes; sandbox/images/base_image.sh has the default.
# Which packages are needed is asked for this machine's Python, as pip does. Where that is another release than the
# base's and a package is missing, the build says which.
set -euo pipefail
cd "$(dirname "$0")/.."
. sandbox/images/base_image.sh

wheels=build/wheels/app
need_engine
need_base
tags=$(wheel_tags)
requirements=$(.venv/bin/python container/requirements.py pyproject.toml && echo "setuptools>=77")
wanted=$(printf '%s\n' "$tags" "$requirements")
if [ "$wanted" = "$(cat "$wheels/.collected" 2>/dev/null)" ]; then exit; fi
say "Collecting the wheels of the service's image …"
rm -rf "$wheels" "$wheels.new"
# shellcheck disable=SC2086 # words, not one
echo "$requirements" |
    ${PIP:-.venv/bin/pip} download --quiet --only-binary :all: $tags --dest "$wheels.new" --requirement /dev/stdin
echo "$wanted" >"$wheels.new/.collected"
mv "$wheels.new" "$wheels"
