#!/usr/bin/env bash
# Pictures of README.md and docs/guide.md, in a real window on the quick start, and the animation of an alpha drag.
#
#     docs/make_pictures.sh [PROGRAM]     (default: build/release/app/kvantage)
#
# Needs img2webp and pngquant (Debian packages webp and pngquant); no display.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program=${1:-build/release/app/kvantage}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
die() { printf 'error: %s\n' "$*" >&2; exit 1; }
for tool in img2webp pngquant; do
  command -v "$tool" >/dev/null || die "$tool is missing; apt-get install webp pngquant"
done

# Takes the scenes that match one of the wildcards $1 (separated by |) in theme $2.
take() {
  "$program" --screenshots "$work" --scenes "$1" --screenshot-theme "$2" --screenshot-size 1280x800 \
    --store "$work/store" --db "$work/runs.db" sample_workloads/quickstart >/dev/null 2>"$work/log" ||
    { cat "$work/log" >&2; die "no pictures of $1"; }
}

# Scene, theme, name of the picture.
pictures='layout overview,light,window
dock sensitivity heat map,dark,sensitivity
dock contexts,light,why-here
frontier explain,light,explain
lesson 2 step 2,light,lesson
dock pipeline,light,pipeline
dock keep map,light,keep-map
dock pool,light,pool
runs compared,light,compare
dock reproduce result,light,reproduce'

for theme in light dark; do
  take "$(grep ",$theme," <<<"$pictures" | cut -d, -f1 | paste -sd '|')" "$theme"
done
while IFS=, read -r scene theme name; do
  taken=$work/1280x800-$theme-$(tr 'A-Z ' 'a-z-' <<<"$scene").png
  [ -f "$taken" ] || die "no scene is called $scene"
  pngquant --force --nofs --quality 70-100 --output "docs/pictures/$name.png" "$taken"
done <<<"$pictures"

take 'alpha drag*' light
frames=("$work"/*alpha-drag-*.png)
# The hand moves for ten frames, then six wait for answers; the first and the last picture stand longer.
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
