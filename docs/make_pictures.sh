#!/usr/bin/env bash
# Pictures of README.md and docs/guide.md, in a real window on the quick start, and the animation of an alpha drag.
#
#     docs/make_pictures.sh [FOLDER]     (of kvantage and kvantage-cli, default: build/release/app)
#
# Needs img2webp and pngquant (Debian packages webp and pngquant); no display. Takes some minutes.
#
#     docs/make_pictures.sh --modes DIR [--text PERCENT] [FOLDER]
#
# Instead of these, pictures of all modes to look at, into DIR: both themes and sizes, text of 100, 140 and 200 %, or of
# PERCENT alone. Needs neither tool (docs/testing.md).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
die() { printf 'error: %s\n' "$*" >&2; exit 1; }
modes='' percents=(100 140 200)
while [ $# -gt 0 ]; do
  case $1 in
    --modes) modes=$(realpath -m "${2:?--modes needs a folder}"); shift 2 ;;
    --text) percents=("${2:?--text needs a percentage}"); shift 2 ;;
    -*) die "unknown option $1; see the head of docs/make_pictures.sh" ;;
    *) break ;;
  esac
done
programs=${1:-build/release/app}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
store=(--store "$work/store" --db "$work/runs.db")

take() {
  "$programs/kvantage" --screenshots "$work/$1" "${@:2}" "${store[@]}" sample_workloads/quickstart \
    >/dev/null 2>"$work/log" || { cat "$work/log" >&2; die "no pictures: $1"; }
}

if [ -z "$modes" ]; then
  for tool in img2webp pngquant; do
    command -v "$tool" >/dev/null || die "$tool is missing; apt-get install webp pngquant"
  done
fi

# Runs to compare in the window.
for policy in full_prefill evicpress lru; do
  "$programs/kvantage-cli" run quickstart --policy "$policy" --limit 200 --quiet "${store[@]}" >/dev/null
done
if [ -n "$modes" ]; then
  for percent in "${percents[@]}"; do
    take modes --scenes 'mode *|start page|layout Overview|runs compared' --screenshot-text "$percent"
  done
  mkdir -p "$modes"
  cp "$work"/modes/*.png "$modes/"
  pictures=("$modes"/*.png)
  echo "$modes: ${#pictures[@]} pictures"
  exit 0
fi

take docs --docs
for picture in "$work"/docs/*.png; do
  pngquant --force --nofs --quality 70-100 --output "docs/pictures/$(basename "$picture")" "$picture"
done

take drag --scenes 'alpha drag*' --screenshot-theme light --screenshot-size 1280x800
frames=("$work"/drag/*alpha-drag-*.png)
# The slider moves for ten frames, then six wait for answers; the first and last frames are shown longer.
arguments=()
for i in "${!frames[@]}"; do
  if [ "$i" -eq 0 ] || [ "$i" -eq $((${#frames[@]} - 1)) ]; then time=1800
  elif [ $(((i - 1) % 16)) -lt 10 ]; then time=110
  else time=450; fi
  arguments+=(-d "$time" "${frames[$i]}")
done
img2webp -loop 0 -mixed -m 6 -q 70 "${arguments[@]}" -o docs/pictures/alpha-drag.webp
bytes=$(stat -c %s docs/pictures/alpha-drag.webp)
echo "docs/pictures/alpha-drag.webp: ${#frames[@]} frames, $bytes bytes"
[ "$bytes" -le 3145728 ] || die "larger than 3 MiB; lower the quality"
