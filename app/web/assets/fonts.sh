#!/bin/sh
# Writes the pages' fonts into the given folder, cut to what pages show: fonts.sh FOLDER FONTTOOLS, where FONTTOOLS is the
# folder of pyftsubset. Inter keeps two of its weights' range and Latin, Greek and the signs of the pages; JetBrains Mono
# loses its ligatures; STIX Two Math keeps the letters and signs of formulas.
set -eu
cd "$(dirname "$0")/../../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cut() { # SOURCE TARGET FEATURES CHARACTERS
    SOURCE_DATE_EPOCH=0 "$tools/pyftsubset" "$1" --output-file="$2" --layout-features="$3" --unicodes="$4" \
        --flavor=woff2 --no-hinting --drop-tables+=meta
}
narrow() { # SOURCE TARGET AXES…
    source=$1 target=$2 && shift 2
    SOURCE_DATE_EPOCH=0 "$tools/fonttools" varLib.instancer --quiet --no-recalc-timestamp "$source" "$@" -o "$target"
}
folder=$1 tools=$2
mkdir -p "$folder"

narrow node_modules/inter-ui/variable/InterVariable.woff2 "$work/text.ttf" opsz=14 wght=400:700
cut "$work/text.ttf" "$folder/text.woff2" kern,ccmp,locl,mark,mkmk,tnum "$(tr -d '[:space:]' <<'LIST'
20-7E,A0-17F,2BC,2C6,2DA,2DC,391-3A9,3B1-3C9,2009,200B,2010-2015,2018-201A,201C-201E,2020-2022,2026,202F,2030,2032,2033,
2039,203A,20AC,2122,2190-2193,2196-2199,21B5,21E7,2206,2208,2211,2212,2215,221A,221E,2248,2260,2264,2265,2318,23CE,25B6,
25B8,25BC,25BE,2713,2717,FFFD
LIST
)"

narrow node_modules/@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2 "$work/code.ttf" wght=400:700
cut "$work/code.ttf" "$folder/code.woff2" ccmp,locl,mark,mkmk '*'

# Of the mathematical alphabets: bold, italic, bold italic, script, fraktur and double-struck.
cut node_modules/@fontsource/stix-two-math/files/stix-two-math-latin-400-normal.woff2 "$folder/maths.woff2" '*' "$(tr -d '[:space:]' <<'LIST'
20-7E,A0,A7,AC,B0-B3,B1,B4,B7,B9,D7,F7,131,237,2C6,2C7,2D8-2DC,300-304,306-308,30A,30C,338,391-3A9,3B1-3C9,3D1,3D5,3D6,
3F0,3F1,3F5,2002-200B,2016,2020-2022,2026,2032-2034,203E,2044,2061-2064,20D6,20D7,2102,210B-2115,2118-211D,2124,2128,
212B-2131,2133-2138,2190-2199,21A0,21A6,21C0,21D0-21D5,2200-220D,220F-2213,2215-221E,2220-222E,2234-2237,223C,2243,2245,
2248,224D,2250,2254,2255,2260-2265,226A,226B,227A,227B,2282-228B,2291-2299,22A4,22A5,22A2-22A8,22C0-22C6,22EE-22F1,
2308-230B,23DC-23DF,23B4,23B5,25A0,25A1,25B3,25CB,27C2,27E6-27EB,27F5-27FA,27FC,2A00-2A02,2A7D,2A7E,2AAF,2AB0,
1D400-1D503,1D504-1D537,1D538-1D56B,1D6A4-1D6A5,1D6A8-1D755,1D7CE-1D7E1
LIST
)"

for package in inter-ui @fontsource-variable/jetbrains-mono @fontsource/stix-two-math; do
    for license in node_modules/$package/LICENSE*; do printf '%s\n\n' "${license#node_modules/}" && cat "$license" && printf '\n'; done
done >"$folder/licenses.txt"
