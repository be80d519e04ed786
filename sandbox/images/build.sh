#!/usr/bin/env bash
# Builds the images allclose-FLAVOUR of the flavours that are its arguments; `make images` runs it.
# PIP: this machine's pip and its arguments, so that its index and certificates hold; the build itself has no network.
# FRAMEWORKS: the optional frameworks, each with a list of its own. The image of GPUs has Triton, which PyTorch needs.
# BASE: the image to build from. The default is allclose-base, if make_base.sh has made it here, else Docker's Python.
#
# To change a framework's version:
# 1. cpu.txt lists every package in a box; cuda.txt adds those for GPUs. Nothing else is installed. Install the new set
#    in a separate environment and write `pip freeze` into the list. For cuda.txt, `pip install --dry-run --report` shows
#    the NVIDIA packages on which torch and jax agree.
# 2. Run `make .runtime/.installed images names` and `make test`. tests/images compares what is installed with the lists.
# 3. Look at what depends on versions: tests/sandbox/test_frameworks.py, where new system calls show,
#    tests/sandbox/test_library_cache.py and tests/values. Measure with `make bench ARGS="--check --only verdicts"`.
set -euo pipefail
cd "$(dirname "$0")/../.."

. sandbox/images/base_image.sh

# Exactly what the lock names, and collected anew when a lock or the base's Python has changed.
collect_wheels() {
    local flavour=$1 wheels=build/wheels/$1 lists=() list tags wanted
    tags=$(wheel_tags)
    for list in "$flavour" ${FRAMEWORKS:-}; do lists+=(--requirement "sandbox/images/$list.txt"); done
    wanted=$(echo "$tags ${lists[*]}" | cat - sandbox/images/*.txt)
    if [ "$wanted" = "$(cat "$wheels/.collected" 2>/dev/null)" ]; then return; fi
    say "Collecting the wheels for allclose-$flavour …"
    rm -rf "$wheels"
    # shellcheck disable=SC2086 # words, not one
    $PIP download -qq --only-binary :all: --no-deps $tags --dest "$wheels" "${lists[@]}"
    echo "$wanted" >"$wheels/.collected"
}

build() {
    local flavour=$1 guest
    guest=$(.venv/bin/python -c 'from sandbox.environment import guest_digest; print(guest_digest())')
    say "Building allclose-$flavour from $BASE …"
    tar --create --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --exclude=__pycache__ --exclude=.collected \
        sandbox/images sandbox/__init__.py sandbox/guest "build/wheels/$flavour" |
        docker build --quiet --network none --file sandbox/images/Dockerfile --tag "allclose-$flavour" \
            --build-arg BASE="$BASE" --build-arg FLAVOUR="$flavour" --build-arg FRAMEWORKS="${FRAMEWORKS:-}" \
            --build-arg GUEST="$guest" -
}

need_engine
need_base
for flavour in "$@"; do
    collect_wheels "$flavour"
    build "$flavour"
done
