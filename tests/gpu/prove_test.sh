#!/usr/bin/env bash
# The verdict of tests/gpu/prove.sh over programs that end as they are told: nothing that failed, was skipped beside a
# GPU or could not be looked at passes.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/tests" "$root/app" "$root/path"
program() {
  printf '#!/bin/sh\necho "$(basename "$0") $*" >>"%s/called"\nexit %s\n' "$root" "$2" >"$root/$1" &&
    chmod +x "$root/$1"
}
everything_is() {
  local name
  for name in gpu_emulation_cuda gpu_compact_cuda gpu_model_default_cuda gpu_device_tier_gpu_test \
    bench_gpu_copy_bench bench_gpu_kernels bench_gpu_offload bench_gpu_model; do
    program "tests/$name" "$1"
  done
  program app/kvantage-cli "$1"
  program path/python3 "$1"
  printf '#!/bin/sh\necho "sanitizer $*" >>"%s/called"\nfor last; do :; done\nexec "$last"\n' "$root" \
    >"$root/path/compute-sanitizer" &&
    chmod +x "$root/path/compute-sanitizer"
  rm -f "$root/called"
}
wrong=0
# verdict WANTED WORDS [PART...] : exit code and a line that must be there.
verdict() {
  local wanted=$1 words=$2 code=0
  shift 2
  LD_LIBRARY_PATH= PATH="$root/path:$PATH" \
    bash "$here/prove.sh" "$root/tests" "$root/log" "$@" >/dev/null 2>&1 || code=$?
  [ $code -eq "$wanted" ] && grep -q -- "$words" "$root/log" || {
    cat "$root/log"
    echo "FAIL: ended with $code, wanted $wanted and '$words'"
    wrong=1
  }
}
called() { grep -q -- "$1" "$root/called" || { echo "FAIL: $1 was not called"; wrong=1; }; }
not_called() { if grep -q -- "$1" "$root/called"; then echo "FAIL: $1 was called"; wrong=1; fi; }

everything_is 0
verdict 0 ' passed, 0 skipped, 0 failed'
for name in gpu_compact_cuda gpu_model_default_cuda gpu_device_tier_gpu_test bench_gpu_copy_bench bench_gpu_kernels \
  bench_gpu_offload bench_gpu_model 'tier device=2GiB' 'run .*/contexts --model' 'reproduce evicpress/runs --gpu'; do
  called "$name"
done
for tool in memcheck racecheck initcheck synccheck; do called "sanitizer --tool $tool .*gpu_compact_cuda"; done
called 'sanitizer --tool memcheck .*gpu_device_tier_gpu_test'
not_called 'sanitizer --tool racecheck .*gpu_device_tier_gpu_test'
not_called 'sanitizer .*gpu_model_default_cuda'
everything_is 77
verdict 77 '0 passed, 1 skipped, 0 failed'
not_called gpu_compact_cuda
everything_is 0 && program tests/gpu_compact_cuda 1
verdict 1 'failed: gpu_compact_cuda (exit code 1)'
everything_is 0 && program tests/gpu_model_default_cuda 77
verdict 1 'failed: gpu_model_default_cuda (skipped, although there is a GPU)'
everything_is 0 && program tests/bench_gpu_kernels 1
verdict 1 'failed: bench_gpu_kernels (exit code 1)' benches
not_called gpu_model_default_cuda
# The last tool alone finds something.
everything_is 0 && printf '#!/bin/sh\n[ "$2" != synccheck ] || exit 9\n' >"$root/path/compute-sanitizer"
verdict 1 'failed: synccheck of gpu_compact_cuda (exit code 9)' sanitizer
everything_is 0 && printf '#!/bin/sh\nexit 1\n' >"$root/path/compute-sanitizer"
verdict 1 'not looked at: memory errors and races'
everything_is 0 && rm "$root/app/kvantage-cli"
verdict 1 'not looked at: sessions and policies'
everything_is 0 && program path/python3 1
verdict 1 "not looked at: attention beside torch's"
everything_is 0
verdict 0 '3 passed, 0 skipped, 0 failed' kernels
everything_is 0 && rm "$root/tests/gpu_device_tier_gpu_test"
verdict 1 'failed: gpu_device_tier_gpu_test (exit code 127)' kernels
# A folder whose name is that of a program says nothing about what is in it.
everything_is 0 && program tests/gpu_compact_cuda 1 && mkdir "$root/gpu_model_x" &&
  mv "$root/tests" "$root/gpu_model_x/tests" && ln -s "gpu_model_x/tests" "$root/tests"
code=0
LD_LIBRARY_PATH= PATH="$root/path:$PATH" \
  bash "$here/prove.sh" "$root/gpu_model_x/tests" - kernels >"$root/log" 2>&1 || code=$?
[ $code -eq 1 ] && grep -q 'failed: gpu_compact_cuda' "$root/log" || {
  cat "$root/log"
  echo "FAIL: a folder's name hid a program"
  wrong=1
}
code=0
bash "$here/prove.sh" "$root/tests" - everything >/dev/null 2>&1 || code=$?
[ $code -eq 2 ] || { echo "FAIL: an unknown part ends with $code"; wrong=1; }
[ $wrong -eq 0 ] && echo passed
exit $wrong
