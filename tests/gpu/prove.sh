#!/usr/bin/env bash
# Holds everything of gpu/ against the GPU of this machine: each kernel against its reference, the device tier, the
# model, memory errors, races, unset memory and barriers by compute-sanitizer, speeds as shares of limits measured in
# the same run, then sessions and policies. Needs the built programs alone: they may come from another machine.
# Usage: tests/gpu/prove.sh BUILD [LOG] [PART...]
#   BUILD: where tests/gpu_*_cuda are, build/release/tests by default; LOG: a copy of all output, - for none
#   PART: kernels, sanitizer, model, benches, sessions, large, policies; all by default
# LARGE="LAYERS HIDDEN INTERMEDIATE HEADS KV_HEADS HEAD_DIM" tries the part large with another shape.
# Ends with 0 where all holds, 1 where something does not or could not be looked at, 77 where there is no GPU.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${1:-build/release/tests}
tee= stores= outputs=
if [ $# -gt 1 ] && [ "$2" != - ]; then
  exec 3>&1 > >(tee "$2" >&3) 2>&1
  tee=$!
fi
# The log is whole when this ends.
trap 'rm -rf "$stores" "$outputs"; exec >&- 2>&-; [ -z "$tee" ] || wait "$tee"' EXIT
shift $(($# < 2 ? $# : 2))
parts=("$@")
for part in "${parts[@]}"; do
  case $part in
    kernels|sanitizer|model|benches|sessions|large|policies) ;;
    *)
      echo "error: there is no part '$part': kernels, sanitizer, model, benches, sessions, large or policies"
      exit 2 ;;
  esac
done
[ -x "$build/gpu_emulation_cuda" ] || {
  echo "error: no programs in $build: build the target gpu_proof first, where nvcc is"
  exit 2
}
# The model needs libtorch_cuda.so 2.11: where none of the folders of LD_LIBRARY_PATH has one, that of Python's torch.
has_torch() {
  local folder
  for folder in ${LD_LIBRARY_PATH//:/ }; do [ -e "$folder/libtorch_cuda.so" ] && return 0; done
  return 1
}
if ! LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-} has_torch; then
  torch=$(python3 -c 'import torch, os
print(os.path.join(os.path.dirname(torch.__file__), "lib") if torch.__version__.startswith("2.11.") else "")' \
    2>/dev/null)
  if [ -n "$torch" ]; then export LD_LIBRARY_PATH=$torch${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}; fi
fi
failed=() unseen=() started=() skipped=0 passed=0

asked() { [ ${#parts[@]} -eq 0 ] || [[ " ${parts[*]} " == *" $1 "* ]]; }
# prove NAME COMMAND... : runs it, counts how it ended. Where something has passed there is a GPU, and nothing has a
# reason to be skipped.
prove() {
  local name=$1 code=0
  shift
  echo "== $name"
  "$@" || code=$?
  case $code in
    0) passed=$((passed + 1)) ;;
    77)
      if [ $passed -gt 0 ]; then failed+=("$name (skipped, although there is a GPU)")
      else skipped=$((skipped + 1)); fi ;;
    *) failed+=("$name (exit code $code)") ;;
  esac
}
# sanitize NAME COMMAND... : output and exit code to files; ended FILE: gives them back.
sanitize() {
  local file=$outputs/$1 code=0
  shift
  "$@" >"$file" 2>&1 || code=$?
  echo $code >"$file.code"
}
ended() {
  cat "$1" && return "$(cat "$1.code")"
}
summary() {
  echo "== $passed passed, $skipped skipped, ${#failed[@]} failed"
  local name
  for name in "${failed[@]}"; do echo "   failed: $name"; done
  for name in "${unseen[@]}"; do echo "   not looked at: $name"; done
  [ ${#failed[@]} -gt 0 ] || [ ${#unseen[@]} -gt 0 ] && exit 1
  [ $passed -eq 0 ] && exit 77
  exit 0
}

# First of all parts: the kernels' emulation is a GPU's, or there is none.
prove gpu_emulation_cuda "$build/gpu_emulation_cuda"
[ $passed -eq 0 ] && summary

if asked kernels; then
  for program in "$build"/gpu_*_cuda "$build"/gpu_device_tier_gpu_test; do
    case ${program##*/} in gpu_model_*|gpu_emulation_cuda) continue ;; esac
    prove "${program##*/}" "$program"
  done
fi
if asked model; then
  for program in "$build"/gpu_model_*_cuda; do prove "${program##*/}" "$program"; done
fi
if asked sanitizer; then
  sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null || true)
  if [ -z "$sanitizer" ]; then unseen+=("memory errors and races: there is no compute-sanitizer here")
  elif ! timeout 300 "$sanitizer" --error-exitcode 9 "$build/gpu_emulation_cuda"; then
    unseen+=("memory errors and races: $sanitizer does not run gpu_emulation_cuda, see above")
  else
    # Side by side, as each keeps one core busy and the GPU hardly; then reported in order.
    outputs=$(mktemp -d)
    looked=() at_once=$(nproc)
    for tool in memcheck racecheck initcheck synccheck; do
      for program in "$build"/gpu_*_cuda; do
        case ${program##*/} in
          gpu_model_*) continue ;;  # libtorch's own kernels: hours
        esac
        while [ "$(jobs -rp | wc -l)" -ge "$at_once" ]; do wait -n; done
        sanitize "$tool of ${program##*/}" timeout 600 "$sanitizer" --tool $tool --error-exitcode 9 --print-limit 5 \
          "$program" &
        looked+=("$tool of ${program##*/}")
        started+=($!)
      done
    done
    wait "${started[@]}"
    # It looks at the device's free memory, which others change.
    sanitize "memcheck of gpu_device_tier_gpu_test" timeout 600 "$sanitizer" --tool memcheck --error-exitcode 9 \
      --print-limit 5 "$build/gpu_device_tier_gpu_test"
    looked+=("memcheck of gpu_device_tier_gpu_test")
    for name in "${looked[@]}"; do prove "$name" ended "$outputs/$name"; done
  fi
fi
if asked benches; then
  for program in copy_bench kernels offload model; do prove "bench_gpu_$program" "$build/bench_gpu_$program"; done
  if python3 -c 'import torch, sys; sys.exit(not torch.cuda.is_available())' 2>/dev/null; then
    prove "attention beside torch's" python3 "$here/../bench/gpu_sdpa_peer.py" "$build/bench_gpu_kernels"
  else
    unseen+=("attention beside torch's: Python here has no torch that sees the GPU")
  fi
fi
# Policies with a model whose prefill takes longer than loads: random weights, so answers mean nothing, contexts of
# 4,000 tokens (6 GB of caches), tiers as fast as they are.
prove_large() {
  python3 "$here/random_checkpoint.py" "$stores/model" ${LARGE:-} &&
    "$cli" workload make --out "$stores/contexts" --families registry,inventory,news,meeting --contexts-per-family 3 \
      --min-tokens 3800 --max-tokens 4200 --seed 5 --requests 60 --profile-questions 2 --quiet &&
    "$cli" run "$stores/contexts" --model "$stores/model" --gpu --gpu-cache 16GiB --store "$stores/large" --quiet \
      --policy 'full_prefill,lru,fixed(kivi4,0),evicpress' --methods kivi4,keydiff+kivi4 --removed 0.5 \
      --quality-metric top1_agreement --alpha 0.3 --tier device=10% --tier dram=20% --tier ssd=60% --details
}
# Sessions: the same requests on the processor and on the GPU, from the device tier, DRAM and SSD; policies: their
# comparison there.
cli=$build/../app/kvantage-cli
if asked sessions || asked large || asked policies; then
  if [ ! -x "$cli" ]; then
    unseen+=("sessions and policies: no kvantage-cli beside the tests")
  else
    stores=$(mktemp -d)
    if asked sessions; then
      for tier in device=2GiB dram=2GiB ssd=2GiB; do
        prove "session on the GPU, $tier" "$cli" run quickstart --gpu --policy lru --tier "$tier" --limit 40 \
          --store "$stores/$tier" --quiet
      done
      prove "session on the processor" "$cli" run quickstart --policy lru --tier dram=2GiB --limit 40 \
        --store "$stores/processor" --quiet
    fi
    if asked large; then prove "policies with a large model on the GPU" prove_large; fi
    asked policies &&
      prove "policies on the GPU" "$cli" reproduce evicpress/runs --gpu --store "$stores/policies" --temporary-store
  fi
fi
summary
