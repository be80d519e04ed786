#!/bin/sh
# Writes the scripts of the pages into the folder that is given. Every file directly in app/web/assets/ is the script of
# a page; early.js is one for itself, since it runs before the page is drawn and so may load nothing more.
set -eu
cd "$(dirname "$0")/../../.."
bundle() { node_modules/.bin/esbuild --bundle --target=es2022 --minify --charset=utf8 --log-level=warning "$@"; }
bundle app/web/assets/*.ts --splitting --format=esm --chunk-names='[name]-[hash]' --outdir="$1"
bundle app/web/assets/early/share.ts --format=iife --outfile="$1/early.js"
