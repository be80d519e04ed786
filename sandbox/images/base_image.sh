# The image that others are built from, for scripts that run at the root of the repository.
# BASE: that image. The default is allclose-base, if make_base.sh has made it here, else Docker's Python.
# shellcheck shell=bash

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
        "\`sudo sandbox/images/make_base.sh\`, then run this again"
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
