#!/usr/bin/env bash
# Unpacks libarrow and libparquet, with their headers, from the wheel of pyarrow, for the module that writes Parquet.
# Usage: fetch_pyarrow.sh DESTINATION [--python]      Idempotent: a finished DESTINATION is left alone. --python: also
# pyarrow itself, with which a test reads the files back.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/fetch_wheel.sh"
destination=$1
python=${2:-}
marker=$destination/.complete-23.0.1
python_marker=$destination/.complete-python-23.0.1
wheel=pyarrow-23.0.1-cp311-cp311-manylinux_2_28_x86_64.whl
if [ -f "$marker" ] && { [ "$python" != --python ] || [ -f "$python_marker" ]; }; then exit 0; fi

staging=$destination.part
mkdir -p "$staging" || { echo "error: $staging cannot be made: set KVANTAGE_CACHE to a writable folder" >&2; exit 1; }
echo "== fetching pyarrow 23.0.1 (48 MB, once) into $destination"
fetch_wheel pyarrow==23.0.1 "$wheel" 26d50dee49d741ac0e82185033488d28d35be4d763ae6f321f97d1140eb7a0e9 "$staging" ||
  exit 1
unpack() {
  unzip -q -o "$staging/$wheel" "$@" -d "$staging/unpacked" || {
    echo "error: $wheel cannot be unpacked: is there room in $staging? Delete it and run again." >&2; exit 1; }
}
rm -rf "$staging/unpacked"
unpack 'pyarrow/include/*' 'pyarrow/libarrow.so.*' 'pyarrow/libparquet.so.*' 'pyarrow-*.dist-info/licenses/*'
if [ "$python" = --python ]; then
  unpack 'pyarrow/*' -x 'pyarrow/tests/*' 'pyarrow/src/*' 'pyarrow/*flight*' 'pyarrow/*.px?'
  touch "$staging/unpacked/$(basename "$python_marker")"
fi
for file in include/arrow/api.h include/parquet/arrow/writer.h libarrow.so.2300 libparquet.so.2300; do
  [ -f "$staging/unpacked/pyarrow/$file" ] || { echo "error: $file is missing from $wheel" >&2; exit 1; }
done
touch "$staging/unpacked/$(basename "$marker")"
rm -rf "$destination"
mv "$staging/unpacked" "$destination"
rm -rf "$staging"
echo "   unpacked: $(du -sh "$destination" | cut -f1)"
