#!/usr/bin/env bash
# Coverage-guided fuzzing of one parser, or of all.
#   tests/fuzz/run.sh NAME|all SECONDS               one after the other, each for so long
#   tests/fuzz/run.sh NAME|all --executions N ...    so many of all together, and a table at the end (campaign.py)
#     --jobs J: fuzzers at a time (1); --still SECONDS: of processor time without new code, after which a slow one ends
#     (7200); --last MINUTES: of the table's column of new edges (10); --every SECONDS: between two lines of progress
#     (60); --fresh: from the beginning, where the same command would continue what was interrupted
# What it learned stays in build/fuzz/corpus/NAME for the next time; inputs that broke something are in
# build/fuzz/findings. A finding is an abort, a sanitizer's report, more than 10 s or more than 512 MB.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
targets=tests/fuzz/targets.txt

names() { sed -n 's/^\([a-z_]*\) .*/\1/p' "$targets"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }
usage() {
  printf 'tests/fuzz/run.sh NAME|all SECONDS\n' >&2
  printf 'tests/fuzz/run.sh NAME|all --executions N [--jobs J] [--still SECONDS] [--last MINUTES] ' >&2
  printf '[--every SECONDS] [--fresh]\n' >&2
  printf 'NAME: %s\n' "$(names | tr '\n' ' ')" >&2
  exit 2
}
row_of() { grep -m 1 "^$1 " "$targets" || usage; }

check_tools() {
  local packages="clang-16 libclang-rt-16-dev libomp-16-dev"
  command -v clang++-16 >/dev/null || die "clang++-16 is missing: apt-get install $packages"
  printf 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
    clang++-16 -x c++ - -fsanitize=fuzzer,address,undefined -o /dev/null 2>/dev/null ||
    die "the runtime of libFuzzer is missing: apt-get install $packages"
}

build() { # NAME...
  cmake --preset fuzz >/dev/null
  nice cmake --build build/fuzz --target "${@/#/fuzz_}" --parallel "${KVANTAGE_JOBS:-$(nproc)}"
}

prepare() { # NAME: inputs to begin with, its dictionary, and the words with which every run calls it, one a line
  local name=$1 begin=build/fuzz/seeds/$1 row longest seeds seed
  row=$(row_of "$name")
  read -r _ _ longest seeds <<<"$row"
  rm -rf "$begin"
  mkdir -p "build/fuzz/corpus/$name" "$begin" build/fuzz/findings
  for seed in $seeds; do
    [ -e "$seed" ] || die "$targets: $seed is not there"
    find "$seed" -type f -exec cp --backup=numbered -t "$begin" {} +
  done
  if command -v python3 >/dev/null; then python3 tests/fuzz/seeds.py "$name" "$begin"; fi
  cat tests/fuzz/dictionaries/json.dict >"$begin.dict"
  if [ -e "tests/fuzz/dictionaries/$name.dict" ]; then cat "tests/fuzz/dictionaries/$name.dict" >>"$begin.dict"; fi
  printf '%s\n' "-max_len=$longest" -timeout=10 -rss_limit_mb=512 "-dict=$begin.dict" \
    "-artifact_prefix=build/fuzz/findings/$name-" -print_final_stats=1 \
    "build/fuzz/corpus/$name" "$begin" >"$begin.words"
}

run() { # NAME SECONDS
  local words
  mapfile -t words <"build/fuzz/seeds/$1.words"
  printf '== %s for %s s\n' "$1" "$2"
  UBSAN_OPTIONS=print_stacktrace=1 nice "build/fuzz/fuzzers/fuzz_$1" -max_total_time="$2" "${words[@]}"
}

[ $# -ge 2 ] || usage
chosen=("$1")
if [ "$1" = all ]; then mapfile -t chosen < <(names); fi
for name in "${chosen[@]}"; do row_of "$name" >/dev/null; done
shift
[[ $1 =~ ^[0-9]+$ && $# -eq 1 ]] || [ "$1" = --executions ] || usage
check_tools
build "${chosen[@]}"
for name in "${chosen[@]}"; do prepare "$name"; done
if [ "$1" = --executions ]; then
  command -v python3 >/dev/null || die "python3 is missing: apt-get install python3"
  exec python3 tests/fuzz/campaign.py "$@" "${chosen[@]}"
fi
failed=0
for name in "${chosen[@]}"; do run "$name" "$1" || failed=1; done
exit "$failed"
