#!/usr/bin/env bash
# Packs a build, installs the package on a fresh minimal Debian 12 and starts it there: what a user without any of the
# build's packages meets. Needs root, debootstrap, dpkg-dev, cpack, some 3 GB and the network; run on demand.
# Usage: clean_debian.sh BUILD_FOLDER WORK_FOLDER   WORK_FOLDER must not exist; it is left for a look and may be deleted
# Exit codes: 0 all of it works, 1 something does not (the line before says what), 2 wrong words.
set -euo pipefail
[ $# -eq 2 ] || { sed -n '2,5s/^# //p' "$0" >&2; exit 2; }
build=$(readlink -f "$1") work=$2
[ -f "$build/CPackConfig.cmake" ] || {
  echo "error: $build: no build folder; give the one that holds CPackConfig.cmake" >&2
  exit 2
}
[ ! -e "$work" ] || { echo "error: $work: is there already; give the name of a new folder" >&2; exit 2; }
[ "$(id -u)" -eq 0 ] || { echo "error: debootstrap and chroot need root; run as root" >&2; exit 2; }
say() { printf '== %s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

mkdir -p "$work"
work=$(readlink -f "$work") root=$work/root
trap 'umount -l "$root/proc" 2>/dev/null || true' EXIT

say "packing"
(cd "$build" && cpack -G DEB -B "$work/package" >"$work/cpack.log" 2>&1) || {
  tail -5 "$work/cpack.log" >&2
  fail "cpack failed; all it said is in $work/cpack.log"
}
package=$(ls "$work"/package/*.deb)
say "$(basename "$package"), $(stat -c %s "$package") bytes," \
  "needs $(dpkg-deb -f "$package" Depends | tr ',' '\n' | wc -l) packages"
if dpkg-deb -c "$package" | grep -iE 'nvidia|libcud|libtorch[^ ]*\.so|libc10'; then
  fail "the package holds a library of others"
fi

dpkg-deb -f "$package" Depends | grep -q 'libssl3' ||
  fail "the package does not ask for libssl3, which TLS of remote tiers needs"

say "making a minimal Debian 12"
debootstrap --variant=minbase --include=ca-certificates bookworm "$root" \
  "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >"$work/debootstrap.log" 2>&1 ||
  fail "debootstrap failed; all it said is in $work/debootstrap.log"
mount -t proc proc "$root/proc"
# The network as this machine has it: names, mirrors, certificates.
for file in /etc/resolv.conf /etc/apt/sources.list /etc/pip.conf /etc/ssl/certs/ca-certificates.crt; do
  if [ -f "$file" ]; then cp -L "$file" "$root$file"; fi
done
cp "$package" "$root/tmp/kvantage.deb"
inside() {
  env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 PIP_CERT=/etc/ssl/certs/ca-certificates.crt \
    DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"
}
say "installing with apt-get"
inside apt-get update -qq >"$work/apt.log" 2>&1 || fail "apt-get update failed; all it said is in $work/apt.log"
inside apt-get install -y -qq --no-install-recommends /tmp/kvantage.deb >>"$work/apt.log" 2>&1 ||
  fail "apt-get install failed; all it said is in $work/apt.log"

say "starting kvantage-cli, which fetches libtorch first"
inside kvantage-cli run /usr/share/kvantage/sample_workloads/quickstart --limit 8 --policy evicpress \
  --store /tmp/store >"$work/run.txt" 2>"$work/run.log" ||
  { tail -5 "$work/run.log" >&2; fail "kvantage-cli run ended with an error; all it said is in $work/run.log"; }
head -4 "$work/run.txt"
say "making a report as PDF, without a display"
inside kvantage-cli report --db /tmp/store/kvantage.db --format pdf --out /tmp/report --quiet \
  >"$work/report.txt" 2>&1 ||
  { tail -5 "$work/report.txt" >&2; fail "kvantage-cli report ended with an error"; }
head -c 5 "$root/tmp/report/report.pdf" | grep -q '%PDF-' || fail "no PDF was made"
say "starting kvantage and taking a picture of its window"
inside kvantage --screenshots /tmp/pictures --scenes "layout*" --store /tmp/store >"$work/window.txt" 2>&1 || {
  tail -5 "$work/window.txt" >&2
  fail "kvantage ended with an error"
}
pictures=$(find "$root/tmp/pictures" -name '*.png' -size +20k | wc -l)
[ "$pictures" -gt 0 ] || fail "no picture of the window was made"
say "$pictures pictures of the window in $root/tmp/pictures"
say "taking the package away"
inside apt-get remove -y -qq kvantage >>"$work/apt.log" 2>&1 ||
  fail "apt-get remove failed; all it said is in $work/apt.log"
left=$(inside find /usr -iname '*kvantage*' | head -5)
[ -z "$left" ] || fail "what the package leaves behind: $left"
say "the package installs, starts and uninstalls on a clean Debian 12"
