#!/bin/sh
# In the image's first stage: installs the wheels of /wheels, or what its list names, into /allclose/runtime, and leaves
# what a program can use of them.
set -eu
umask 022

python3 -m venv /pip
python3 -m venv --without-pip /allclose/runtime
pip() { /pip/bin/pip --python /allclose/runtime/bin/python --disable-pip-version-check "$@"; }
set --
for list in "$FLAVOUR" ${FRAMEWORKS:-}; do set -- "$@" --requirement "/wheels/$list.txt"; done
if ls /wheels/*.whl >/dev/null 2>&1; then set -- "$@" --no-index --no-deps --find-links /wheels; fi
pip install --quiet --root-user-action ignore --no-cache-dir --no-compile "$@"
pip check || { echo "torch asks for nvidia-…? Then it is the CUDA build: name PyTorch's CPU index in PIP_ARGS or PIP_EXTRA_INDEX_URL"; exit 1; }

cd /allclose/runtime
packages=$(bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
# Tests, what only a compiler reads, and programs: no box starts any.
find bin -mindepth 1 ! -name 'python*' -delete
find "$packages" -type d \( -name tests -o -name include \) -prune -exec rm -rf {} +
find "$packages" -type f \( -name '*.a' -o -name '*.pyx' -o -name '*.pxd' \) -delete
find "$packages/torch/bin" -type f ! -name torch_shm_manager -delete # for which torch looks when it is imported
rm -rf "$packages/torch/test" "$packages/torch/share" include share

# Never compared with their sources, so dates do not matter. Packages also hold a few sources for a later Python.
bin/python -m compileall -qq -j 0 --invalidation-mode unchecked-hash "$packages" || true
chmod -R a+rX,go-w /allclose
