#!/usr/bin/env bash
# docs/reproduce.md and its page a paper, from a folder that `kvantage-cli reproduce all --out FOLDER` has filled:
# without the pictures and CSV files, which stay there.
#
#     docs/make_reproduce.sh FOLDER
set -euo pipefail
folder=$(cd "${1:?names no folder; give that of reproduce all --out}" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")"
for page in "$folder"/reproduce*.md; do
  # A picture and the empty line after it; then links to files of the folder become their names.
  sed -e '/^!\[/,/^$/d' -e 's/\[\([a-z0-9-]*\.csv\)\]([a-z0-9./-]*)/\1/g' "$page" >"$(basename "$page")"
done
ls reproduce*.md
