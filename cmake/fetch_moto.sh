#!/usr/bin/env bash
# Makes a Python environment with moto, the server of buckets that tests of the tier s3 start.
# Usage: fetch_moto.sh DESTINATION [--patient]      Idempotent: a finished DESTINATION is left alone. --patient: 3
# instead of a message on the error stream where it cannot be fetched; those tests are skipped then.
set -euo pipefail
destination=$1
marker=$destination/.complete-5.1.16
[ -f "$marker" ] && exit 0
mkdir -p "$(dirname "$destination")" ||
  { echo "error: $destination cannot be made: set KVANTAGE_CACHE to a writable folder" >&2; exit 1; }
echo "== fetching moto 5.1.16 for tests (once) into $destination"
rm -rf "$destination"
# In place: an environment does not move.
if ! python3 -m venv "$destination" ||
   ! "$destination/bin/pip" install --quiet --disable-pip-version-check 'moto[server]==5.1.16' 'boto3==1.44.8' \
     'Werkzeug==3.1.9'; then
  rm -rf "$destination"
  [ "${2:-}" = --patient ] && { echo "   not fetched: tests with a server of buckets are skipped"; exit 3; }
  echo "error: moto could not be installed: is PyPI reachable, and python3-venv installed? Run again when it is." >&2
  exit 1
fi
touch "$marker"
echo "   installed: $(du -sh "$destination" | cut -f1)"
