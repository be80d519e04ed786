#!/usr/bin/env bash
# Builds the images allclose-FLAVOUR of the flavours that are its arguments; `make images` runs it.
# PIP: this machine's pip and its arguments, so that its index and certificates hold; the build itself has no network.
# BASE: the image to build from. The default is allclose-base, if make_base.sh has made it here, else Docker's Python.
set -euo pipefail
cd "$(dirname "$0")/../.."

say() { echo "$*" >&2; }

need_engine() {
    docker version >/dev/null 2>&1 && return
    if [ -n "${DOCKER_HOST:-}" ]; then
        say "No Docker Engine answers at DOCKER_HOST=$DOCKER_HOST: start it, or correct or unset DOCKER_HOST"
        exit 1
    fi
    say "No Docker Engine answers: install and start one (Debian, Ubuntu: sudo apt-get install docker.io), and let this" \
        "user reach it (sudo usermod -aG docker $(id -un), then log in anew)"
    exit 1
}

has_image() { docker image inspect "$1" >/dev/null 2>&1; }

need_base() {
    if [ -z "${BASE:-}" ]; then
        BASE=python:3.11-slim-bookworm
        if has_image allclose-base; then BASE=allclose-base; fi
    fi
    if has_image "$BASE" || docker pull --quiet "$BASE" >/dev/null; then return; fi
    say "The base image $BASE is not here and can't be pulled: make one from this machine's own release with" \
        "\`sudo sandbox/images/make_base.sh\`, then run \`make images\` again"
    exit 1
}

# Tags of the wheels that the base can install: those of its Python, its processor and its C library.
wheel_tags() {
    docker run --rm --network none "$BASE" python3 -c '
import platform, sys
version, machine = sys.version_info, platform.machine()
minor = int(platform.libc_ver()[1].split(".")[1])
print(f"--python-version={version[0]}.{version[1]}", "--implementation=cp", f"--platform=linux_{machine}")
old = [f"manylinux{year}" for year in (1, 2010, 2014)]
print(*(f"--platform={name}_{machine}" for name in [*old, *(f"manylinux_2_{n}" for n in range(5, minor + 1))]))'
}

# Exactly what the lock names, and collected anew when a lock or the base's Python has changed.
collect_wheels() {
    local flavour=$1 wheels=build/wheels/$1 tags wanted
    tags=$(wheel_tags)
    wanted=$(echo "$tags" | cat - sandbox/images/cpu.txt "sandbox/images/$flavour.txt")
    if [ "$wanted" = "$(cat "$wheels/.collected" 2>/dev/null)" ]; then return; fi
    say "Collecting the wheels that sandbox/images/$flavour.txt names …"
    rm -rf "$wheels"
    # shellcheck disable=SC2086 # words, not one
    $PIP download -qq --only-binary :all: --no-deps $tags --dest "$wheels" --requirement "sandbox/images/$flavour.txt"
    echo "$wanted" >"$wheels/.collected"
}

build() {
    local flavour=$1 guest
    guest=$(.venv/bin/python -c 'from sandbox.environment import guest_digest; print(guest_digest())')
    say "Building allclose-$flavour from $BASE …"
    tar --create --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --exclude=__pycache__ --exclude=.collected \
        sandbox/images sandbox/__init__.py sandbox/guest "build/wheels/$flavour" |
        docker build --quiet --network none --file sandbox/images/Dockerfile --tag "allclose-$flavour" \
            --build-arg BASE="$BASE" --build-arg FLAVOUR="$flavour" --build-arg GUEST="$guest" -
}

need_engine
need_base
for flavour in "$@"; do
    collect_wheels "$flavour"
    build "$flavour"
done
