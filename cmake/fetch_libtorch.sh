#!/usr/bin/env bash
# Unpacks libtorch (CPU part) and the two CUDA stubs it links against from three PyPI wheels.
# Usage: fetch_libtorch.sh DESTINATION      Idempotent: a finished DESTINATION is left alone.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/fetch_wheel.sh"
destination=$1
marker=$destination/.complete-2.11.0
[ -f "$marker" ] && exit 0

wheels=(
  "torch==2.11.0 torch-2.11.0-cp311-cp311-manylinux_2_28_x86_64.whl \
    7aa2f9bbc6d4595ba72138026b2074be1233186150e9292865e04b7a63b8c67a"
  "nvidia-cuda-runtime==13.0.96 nvidia_cuda_runtime-13.0.96-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl \
    7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548"
  "nvidia-cuda-cupti==13.0.85 nvidia_cuda_cupti-13.0.85-py3-none-manylinux_2_25_x86_64.whl \
    4eb01c08e859bf924d222250d2e8f8b8ff6d3db4721288cf35d14252a4d933c8"
)
staging=$destination.part
rm -rf "$staging" "$destination"
mkdir -p "$staging/wheels"
trap 'rm -rf "$staging"' EXIT

echo "== fetching libtorch 2.11.0 (530 MB, once) into $destination"
for row in "${wheels[@]}"; do
  read -r requirement file digest <<<"$row"
  fetch_wheel "$requirement" "$file" "$digest" "$staging/wheels" || exit 1
done
# Only what a CPU build links or includes; the wheel's fmt headers would shadow the ones spdlog was built with.
(cd "$staging" && for wheel in wheels/*.whl; do
   unzip -q -o "$wheel" 'torch/include/*' torch/lib/libtorch_cpu.so torch/lib/libc10.so torch/lib/libgomp.so.1 \
     nvidia/cu13/lib/libcudart.so.13 nvidia/cu13/lib/libcupti.so.13 2>/dev/null || [ $? -eq 11 ]
 done
 rm -rf wheels torch/include/fmt torch/include/google)
for library in torch/lib/libtorch_cpu.so torch/lib/libc10.so nvidia/cu13/lib/libcudart.so.13 \
  nvidia/cu13/lib/libcupti.so.13; do
  [ -f "$staging/$library" ] || { echo "error: $library is missing from the wheels" >&2; exit 1; }
done
touch "$staging/$(basename "$marker")"
mv "$staging" "$destination"
