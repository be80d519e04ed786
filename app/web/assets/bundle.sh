#!/bin/sh
# Writes the scripts of the pages into the folder that is given. Every file directly in app/web/assets/ is the script of
# a page; early.js is one for itself, since it runs before the page is drawn and so may load nothing more. The last file
# holds the licences of what is bundled.
set -eu
cd "$(dirname "$0")/../../.."
bundle() {
    node_modules/.bin/esbuild --bundle --target=es2022 --minify --charset=utf8 --log-level=warning \
        --alias:@codemirror/autocomplete=./app/web/assets/editor/no_completion.ts "$@"
}
bundle app/web/assets/*.ts --splitting --format=esm --chunk-names='[name]-[hash]' --outdir="$1"
bundle app/web/assets/early/share.ts --format=iife --outfile="$1/early.js"
for package in @codemirror/* @lezer/* @marijn/* @replit/* crelt style-mod w3c-keyname; do
    for license in node_modules/$package/LICENSE*; do
        if [ -f "$license" ]; then printf '%s\n\n' "${license#node_modules/}" && cat "$license" && printf '\n'; fi
    done
done >"$1/licenses.txt"
