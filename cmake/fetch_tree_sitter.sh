#!/usr/bin/env bash
# Unpacks the C sources of tree-sitter (MIT), a library that parses code, and of its grammar of Python (MIT), from their
# source archives on PyPI, for the quality metric "code_bleu".
# Usage: fetch_tree_sitter.sh DESTINATION      Idempotent: a finished DESTINATION is left alone. Exit code 3: they could
# not be had; the program is then built without that metric, and one line says so. With --patient a failure is not tried
# again for a day.
set -euo pipefail
destination=$1
patient=${2:-}
library=tree-sitter-0.23.2
library_sha256=66bae8dd47f1fed7bdef816115146d3a41c39b5c482d7bad36d9ba1def088450
grammar=tree_sitter_python-0.23.6
grammar_sha256=354bfa0a2f9217431764a631516f85173e9711af2c13dbd796a8815acfe505d9
marker=$destination/.complete-0.23.2-0.23.6
[ -f "$marker" ] && exit 0

staging=$destination.part
without() {
  touch "$staging/.tried"
  echo "note: tree-sitter $1: the quality metric 'code_bleu' is missing until './run build' finds PyPI in reach;" \
    "all else works" >&2
  exit 3
}
if [ "$patient" = --patient ] && [ -n "$(find "$staging/.tried" -mtime -1 2>/dev/null)" ]; then exit 3; fi
rm -rf "$staging" "$destination"
mkdir -p "$staging/unpacked" ||
  { echo "error: $staging cannot be made: set KVANTAGE_CACHE to a writable folder" >&2; exit 1; }

echo "== fetching tree-sitter 0.23.2 and its grammar of Python for the quality metric 'code_bleu' (0.3 MB, once) into" \
  "$destination"
# pip asks a source archive for its metadata by running it: with the digest in its hands it checks the archive before.
# Debian's pip has what that takes; another one may have to fetch it.
cat >"$staging/requirements.txt" <<REQUIREMENTS
tree-sitter==0.23.2 --hash=sha256:$library_sha256
tree-sitter-python==0.23.6 --hash=sha256:$grammar_sha256
REQUIREMENTS
fetch() {
  python3 -m pip download --quiet --retries 2 --no-deps --no-binary=tree-sitter,tree-sitter-python --require-hashes \
    --dest "$staging" -r "$staging/requirements.txt" "$@"
}
fetch --no-build-isolation 2>/dev/null || fetch 2>"$staging/pip.log" ||
  without "could not be downloaded ($(grep -m1 '^ERROR' "$staging/pip.log" | cut -c1-120 || true))"
sha256sum --check --status - <<DIGESTS || without "did not arrive with the expected sha256"
$library_sha256  $staging/$library.tar.gz
$grammar_sha256  $staging/$grammar.tar.gz
DIGESTS
for name in "$library" "$grammar"; do tar -xzf "$staging/$name.tar.gz" -C "$staging"; done
mv "$staging/$library/tree_sitter/core/lib" "$staging/unpacked/lib"
mv "$staging/$grammar/src" "$staging/unpacked/python"
# The archive of the grammar lacks the headers that it includes; those of the library are the same.
mkdir "$staging/unpacked/python/tree_sitter"
cp "$staging"/unpacked/lib/src/{alloc,array,parser}.h "$staging/unpacked/python/tree_sitter"
cat "$staging/$library/LICENSE" "$staging/$grammar/LICENSE" >"$staging/unpacked/LICENSE"
for file in lib/src/lib.c lib/include/tree_sitter/api.h python/parser.c python/scanner.c LICENSE; do
  [ -f "$staging/unpacked/$file" ] || { echo "error: $file is missing from the archives" >&2; exit 1; }
done
touch "$staging/unpacked/$(basename "$marker")"
mv "$staging/unpacked" "$destination"
rm -rf "$staging"
