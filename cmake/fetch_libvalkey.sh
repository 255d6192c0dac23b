#!/usr/bin/env bash
# Unpacks the C sources of libvalkey, the client of Redis and Valkey servers, from the source archive of its Python
# binding on PyPI.
# Usage: fetch_libvalkey.sh DESTINATION      Idempotent: a finished DESTINATION is left alone.
set -euo pipefail
destination=$1
requirement=libvalkey==4.2.1
archive=libvalkey-4.2.1.tar.gz
archive_sha256=7f0ffb6dfa9c01cde7f398d8bab93d2566597cbad17f4068d019bb5cf335bd47
marker=$destination/.complete-4.2.1
[ -f "$marker" ] && exit 0

staging=$destination.part
rm -rf "$staging" "$destination"
mkdir -p "$staging" || { echo "error: $staging cannot be made: set KVANTAGE_CACHE to a writable folder" >&2; exit 1; }
trap 'rm -rf "$staging"' EXIT

echo "== fetching libvalkey 4.2.1 (0.2 MB, once) into $destination"
# pip asks a source archive for its metadata by running it: with the digest in its hands it checks the archive before.
# Debian's pip has what that takes; another one may have to fetch it.
echo "$requirement --hash=sha256:$archive_sha256" >"$staging/requirements.txt"
fetch() {
  python3 -m pip download --quiet --no-deps --no-binary=libvalkey --require-hashes --dest "$staging" \
    -r "$staging/requirements.txt" "$@"
}
fetch --no-build-isolation 2>/dev/null || fetch || {
  echo "error: $requirement could not be downloaded whole: is PyPI reachable? Run ./run again when it is." >&2
  exit 1; }
echo "$archive_sha256  $staging/$archive" | sha256sum --check --status - || {
  echo "error: $archive does not have the expected sha256: the download is damaged or was replaced." \
    "Run ./run again." >&2
  exit 1; }
tar -xzf "$staging/$archive" -C "$staging" --strip-components=3 libvalkey-4.2.1/vendor/libvalkey
rm "$staging/$archive" "$staging/requirements.txt"
for file in include/valkey/valkey.h src/valkey.c src/tls.c COPYING; do
  [ -f "$staging/$file" ] || { echo "error: $file is missing from $archive" >&2; exit 1; }
done
touch "$staging/$(basename "$marker")"
mv "$staging" "$destination"
