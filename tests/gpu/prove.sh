#!/usr/bin/env bash
# Holds everything of gpu/ against the GPU of this machine: each kernel against its twin, the device tier, the model, memory errors and races by
# compute-sanitizer, then speeds as shares of limits measured in the same run. Needs the built programs alone: they may come from another machine.
# Usage: tests/gpu/prove.sh BUILD [LOG]      BUILD: where tests/gpu_*_cuda are, build/release/tests by default; LOG: a copy of all output
# Ends with 0 where all holds, 1 where something does not, 77 where there is no GPU.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${1:-build/release/tests}
[ $# -gt 1 ] && exec > >(tee "$2") 2>&1
[ -x "$build/gpu_emulation_cuda" ] || { echo "error: no programs in $build: build the target gpu_proof first, where nvcc is"; exit 2; }
sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null || true)
# The model needs libtorch_cuda.so: where nobody has said where it lies, that of Python's torch.
if [ -z "${LD_LIBRARY_PATH:-}" ]; then
  torch=$(python3 -c 'import importlib.util, os; print(os.path.join(os.path.dirname(importlib.util.find_spec("torch").origin), "lib"))' 2>/dev/null) && export LD_LIBRARY_PATH=$torch
fi
failed=() skipped=0 passed=0

# prove NAME COMMAND... : runs it, counts how it ended.
prove() {
  local name=$1 code=0
  shift
  echo "== $name"
  "$@" || code=$?
  case $code in
    0) passed=$((passed + 1)) ;;
    77) skipped=$((skipped + 1)) ;;
    *) failed+=("$name (exit code $code)") ;;
  esac
}

for program in "$build"/gpu_*_cuda "$build"/gpu_device_tier_gpu_test; do
  [ -x "$program" ] && prove "$(basename "$program")" "$program"
done
if [ -n "$sanitizer" ] && [ $passed -gt 0 ]; then
  for program in "$build"/gpu_*_cuda; do
    case $program in *model*) continue ;; esac  # libtorch's own kernels: hours
    for tool in memcheck racecheck; do
      prove "$tool of $(basename "$program")" timeout 300 "$sanitizer" --tool $tool --error-exitcode 9 --print-limit 5 "$program"
    done
  done
elif [ $passed -gt 0 ]; then
  echo "== no compute-sanitizer here: memory errors and races are not looked for"
fi
for program in copy kernels offload model; do
  [ -x "$build/bench_gpu_${program}" ] && prove "bench_gpu_${program}" "$build/bench_gpu_${program}"
  [ -x "$build/bench_gpu_${program}_bench" ] && prove "bench_gpu_${program}_bench" "$build/bench_gpu_${program}_bench"
done
# Sessions: the same requests on the processor and on the GPU, from the device tier, DRAM and SSD, then the policies there.
cli=$build/../app/kvantage-cli
if [ -x "$cli" ] && [ $passed -gt 0 ]; then
  stores=$(mktemp -d)
  trap 'rm -rf "$stores"' EXIT
  for tier in device=2GiB dram=2GiB ssd=2GiB; do
    prove "session on the GPU, $tier" "$cli" run quickstart --gpu --policy lru --tier "$tier" --limit 40 --store "$stores/$tier" --quiet
  done
  prove "session on the processor" "$cli" run quickstart --policy lru --tier dram=2GiB --limit 40 --store "$stores/processor" --quiet
  prove "policies on the GPU" "$cli" reproduce 000/runs --gpu --seeds 1 --requests 60 --store "$stores/policies" --temporary-store
else
  echo "== no kvantage-cli beside the tests, or no GPU: no sessions"
fi
prove "attention beside torch's" python3 "$here/../bench/gpu_sdpa_peer.py" "$build/bench_gpu_kernels"

echo "== $passed passed, $skipped skipped, ${#failed[@]} failed"
for name in "${failed[@]}"; do echo "   failed: $name"; done
[ ${#failed[@]} -gt 0 ] && exit 1
[ $passed -eq 0 ] && exit 77
exit 0
