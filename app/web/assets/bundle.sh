#!/bin/sh
# Writes the pages' scripts into the given folder. Each file directly in app/web/assets/ is the script of a page. early.js
# is separate, because it runs before the first paint and must not import. The last file holds the licences of the
# bundled packages.
set -eu
cd "$(dirname "$0")/../../.."
bundle() {
    node_modules/.bin/esbuild --bundle --target=es2022 --minify --charset=utf8 --log-level=warning \
        --alias:@codemirror/autocomplete=./app/web/assets/editor/no_completion.ts "$@"
}
bundle app/web/assets/*.ts --splitting --format=esm --chunk-names='[name]-[hash]' --outdir="$1"
bundle app/web/assets/page/early.ts --format=iife --outfile="$1/early.js"
bundle app/web/assets/editor/format_worker.ts --format=esm --outfile="$1/format.js"
cp node_modules/@wasm-fmt/ruff_fmt/ruff_fmt_bg.wasm "$1/ruff.wasm"
cp node_modules/swagger-ui-dist/swagger-ui-bundle.js "$1/swagger-ui.js"
cp node_modules/swagger-ui-dist/swagger-ui.css "$1/swagger-ui.css"
for package in @codemirror/* @lezer/* @marijn/* @replit/* @wasm-fmt/* crelt style-mod swagger-ui-dist w3c-keyname; do
    for license in node_modules/$package/LICENSE* node_modules/$package/NOTICE* node_modules/$package/*-ui-bundle.js.LICENSE.txt; do
        if [ -f "$license" ]; then printf '%s\n\n' "${license#node_modules/}" && cat "$license" && printf '\n'; fi
    done
done >"$1/licenses.txt"
{ printf 'Ruff, of which ruff.wasm is the formatter\n\n' && cat app/web/assets/editor/ruff_license.txt; } >>"$1/licenses.txt"
