#!/usr/bin/env bash
# Downloads the wheels of the service's image with this machine's pip, for builds without access to a package index.
# Run `deploy/container/wheels.sh`, then `docker compose build`. (`make images` downloads the wheels of the boxes' image.)
# PIP: the pip command with its arguments.
# BASE: the base image; sandbox/images/base_image.sh has the default.
# pip resolves for this machine's Python release. If the base image has another one and a package is missing, the build
# names the package.
set -euo pipefail
cd "$(dirname "$0")/../.."
. sandbox/images/base_image.sh

wheels=build/wheels/app
need_engine
need_base
tags=$(wheel_tags)
requirements=$(.venv/bin/python deploy/container/requirements.py pyproject.toml && echo "setuptools>=77")
wanted=$(printf '%s\n' "$tags" "$requirements")
if [ "$wanted" = "$(cat "$wheels/.collected" 2>/dev/null)" ]; then exit; fi
say "Downloading the wheels of the service's image …"
rm -rf "$wheels" "$wheels.new"
# shellcheck disable=SC2086 # words, not one
echo "$requirements" |
    ${PIP:-.venv/bin/pip} download --quiet --only-binary :all: $tags --dest "$wheels.new" --requirement /dev/stdin
echo "$wanted" >"$wheels.new/.collected"
mv "$wheels.new" "$wheels"
