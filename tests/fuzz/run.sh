#!/usr/bin/env bash
# Coverage-guided fuzzing of one parser, or of all in turn: tests/fuzz/run.sh NAME|all SECONDS
# What it learned stays in build/fuzz/corpus/NAME for the next time; inputs that broke something are in
# build/fuzz/findings. A finding is an abort, a sanitizer's report, more than 10 s or more than 512 MB.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
targets=tests/fuzz/targets.txt

names() { sed -n 's/^\([a-z_]*\) .*/\1/p' "$targets"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }
usage() {
  printf 'tests/fuzz/run.sh NAME|all SECONDS\nNAME: %s\n' "$(names | tr '\n' ' ')" >&2
  exit 2
}

[ $# -eq 2 ] || usage
[[ $2 =~ ^[0-9]+$ ]] || usage
if [ "$1" = all ]; then
  failed=0
  for name in $(names); do "$0" "$name" "$2" || failed=1; done
  exit "$failed"
fi
name=$1
row=$(grep -m 1 "^$name " "$targets") || usage
read -r _ longest seeds <<<"$row"

packages="clang-16 libclang-rt-16-dev libomp-16-dev"
command -v clang++-16 >/dev/null || die "clang++-16 is missing: apt-get install $packages"
printf 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
  clang++-16 -x c++ - -fsanitize=fuzzer,address,undefined -o /dev/null 2>/dev/null ||
  die "the runtime of libFuzzer is missing: apt-get install $packages"

cmake --preset fuzz >/dev/null
nice cmake --build build/fuzz --target "fuzz_$name" --parallel "${KVANTAGE_JOBS:-$(nproc)}"
corpus=build/fuzz/corpus/$name begin=build/fuzz/seeds/$name findings=build/fuzz/findings
rm -rf "$begin"
mkdir -p "$corpus" "$begin" "$findings"
for seed in $seeds; do
  [ -e "$seed" ] || die "$targets: $seed is not there"
  find "$seed" -type f -exec cp --backup=numbered -t "$begin" {} +
done
if command -v python3 >/dev/null; then python3 tests/fuzz/seeds.py "$name" "$begin"; fi
dictionary=build/fuzz/seeds/$name.dict
cat tests/fuzz/dictionaries/json.dict >"$dictionary"
if [ -e "tests/fuzz/dictionaries/$name.dict" ]; then cat "tests/fuzz/dictionaries/$name.dict" >>"$dictionary"; fi
printf '== %s for %s s\n' "$name" "$2"
UBSAN_OPTIONS=print_stacktrace=1 nice "build/fuzz/fuzzers/fuzz_$name" -max_total_time="$2" -max_len="$longest" \
  -timeout=10 -rss_limit_mb=512 -dict="$dictionary" -artifact_prefix="$findings/$name-" -print_final_stats=1 \
  "$corpus" "$begin"
