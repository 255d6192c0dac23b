#!/usr/bin/env bash
# Unpacks what a GPU build lacks, from PyPI wheels, each by its digest. Idempotent: a finished part is left alone, and
# wheels that arrived whole are not fetched again after a break.
# Usage: fetch_cuda.sh toolkit DESTINATION    nvcc 13.0.88 with headers and runtime (104 MB); prints where nvcc lies in
#                                             its last line
#        fetch_cuda.sh libraries LIBTORCH     libtorch's CUDA libraries and what they need (2.5 GB), beside the CPU ones
#                                             that fetch_libtorch.sh put there
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/fetch_wheel.sh"
part=$1
destination=$2

toolkit=(
  "nvidia-cuda-nvcc==13.0.88 nvidia_cuda_nvcc-13.0.88-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl \
    56fe502eb77625a12f25172caa3cdddb4e4c8ba2c8c17dba44b164761b380f03"
  "nvidia-nvvm==13.0.88 nvidia_nvvm-13.0.88-py3-none-manylinux2010_x86_64.manylinux_2_12_x86_64.whl \
    c5f41ffeb6466944a026dfa5317d7d85355c119bbec279205d22f1869d1054e0"
  "nvidia-cuda-crt==13.0.88 nvidia_cuda_crt-13.0.88-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl \
    2c8043c7c9e02492716426e9919fc78d2c5b3b2a7a768a88e952676b08aa55a4"
  "nvidia-cuda-cccl==13.0.85 nvidia_cuda_cccl-13.0.85-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl \
    e0da7ad981f3a8aff08241b5bfc1af868742a63e2762f53a5171c492ef242649"
  "nvidia-cuda-runtime==13.0.96 nvidia_cuda_runtime-13.0.96-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl \
    7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548"
)
# As torch 2.11.0 asks for them (its metadata, and that of cuda-toolkit 13.0.2); the wheel of torch itself has its CUDA
# libraries.
libraries=(
  "torch==2.11.0 torch-2.11.0-cp311-cp311-manylinux_2_28_x86_64.whl \
    7aa2f9bbc6d4595ba72138026b2074be1233186150e9292865e04b7a63b8c67a"
  "nvidia-cublas==13.1.0.3 nvidia_cublas-13.1.0.3-py3-none-manylinux_2_27_x86_64.whl \
    ee8722c1f0145ab246bccb9e452153b5e0515fd094c3678df50b2a0888b8b171"
  "nvidia-cudnn-cu13==9.19.0.56 nvidia_cudnn_cu13-9.19.0.56-py3-none-manylinux_2_27_x86_64.whl \
    d20e1734305e9d68889a96e3f35094d733ff1f83932ebe462753973e53a572bf"
  "nvidia-cufft==12.0.0.61 nvidia_cufft-12.0.0.61-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl \
    6c44f692dce8fd5ffd3e3df134b6cdb9c2f72d99cf40b62c32dde45eea9ddad3"
  "nvidia-cusolver==12.0.4.66 nvidia_cusolver-12.0.4.66-py3-none-manylinux_2_27_x86_64.whl \
    0a759da5dea5c0ea10fd307de75cdeb59e7ea4fcb8add0924859b944babf1112"
  "nvidia-cusparse==12.6.3.3 nvidia_cusparse-12.6.3.3-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl \
    2b3c89c88d01ee0e477cb7f82ef60a11a4bcd57b6b87c33f789350b59759360b"
  "nvidia-curand==10.4.0.35 nvidia_curand-10.4.0.35-py3-none-manylinux_2_27_x86_64.whl \
    1aee33a5da6e1db083fe2b90082def8915f30f3248d5896bcec36a579d941bfc"
  "nvidia-nvjitlink==13.0.88 nvidia_nvjitlink-13.0.88-py3-none-manylinux2010_x86_64.manylinux_2_12_x86_64.whl \
    13a74f429e23b921c1109976abefacc69835f2f433ebd323d3946e11d804e47b"
  "nvidia-cuda-nvrtc==13.0.88 nvidia_cuda_nvrtc-13.0.88-py3-none-manylinux2010_x86_64.manylinux_2_12_x86_64.whl \
    ad9b6d2ead2435f11cbb6868809d2adeeee302e9bb94bcf0539c7a40d80e8575"
  "nvidia-nvtx==13.0.85 nvidia_nvtx-13.0.85-py3-none-manylinux1_x86_64.manylinux_2_5_x86_64.whl \
    4936d1d6780fbe68db454f5e72a42ff64d1fd6397df9f363ae786930fd5c1cd4"
  "nvidia-cufile==1.15.1.6 nvidia_cufile-1.15.1.6-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl \
    08a3ecefae5a01c7f5117351c64f17c7c62efa5fffdbe24fc7d298da19cd0b44"
  "nvidia-cusparselt-cu13==0.8.0 nvidia_cusparselt_cu13-0.8.0-py3-none-manylinux2014_x86_64.whl \
    25e30a8a7323935d4ad0340b95a0b69926eee755767e8e0b1cf8dd85b197d3fd"
  "nvidia-nccl-cu13==2.28.9 nvidia_nccl_cu13-2.28.9-py3-none-manylinux_2_18_x86_64.whl \
    e4553a30f34195f3fa1da02a6da3d6337d28f2003943aa0a3d247bbc25fefc42"
  "nvidia-nvshmem-cu13==3.4.5 nvidia_nvshmem_cu13-3.4.5-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl \
    290f0a2ee94c9f3687a02502f3b9299a9f9fe826e6d0287ee18482e78d495b80"
)

# unpack_wheels STAGING PATTERN... : what the patterns name, of every wheel; a wheel that has none of it is none of
# ours.
unpack_wheels() {
  local staging=$1 wheel
  shift
  for wheel in "$staging"/wheels/*.whl; do
    unzip -q -o "$wheel" "$@" -d "$staging/unpacked" 2>/dev/null || [ $? -eq 11 ] || {
      echo "error: $wheel cannot be unpacked: is there room in $staging? Delete it and run again." >&2; exit 1; }
    rm "$wheel"  # the room is needed for what it holds
  done
}
fetch_all() {
  local staging=$1 row requirement file digest
  shift
  mkdir -p "$staging/wheels"
  for row in "$@"; do
    read -r requirement file digest <<<"$row"
    fetch_wheel "$requirement" "$file" "$digest" "$staging/wheels" || exit 1
  done
}
check_there() {
  local folder=$1 file
  shift
  for file in "$@"; do [ -e "$folder/$file" ] || { echo "error: $file is missing from the wheels" >&2; exit 1; }; done
}

case $part in
  toolkit)
    root=$destination/nvidia/cu13
    if [ ! -f "$destination/.complete-13.0.88" ]; then
      echo "== fetching nvcc 13.0.88, headers and runtime (104 MB, once) into $destination"
      rm -rf "$destination" "$destination.part/unpacked"
      fetch_all "$destination.part" "${toolkit[@]}"
      unpack_wheels "$destination.part" 'nvidia/*'
      unpacked=$destination.part/unpacked/nvidia/cu13
      check_there "$unpacked" bin/nvcc include/cuda_runtime_api.h include/crt/host_config.h lib/libcudart_static.a \
        nvvm/bin/cicc
      ln -sf libcudart.so.13 "$unpacked/lib/libcudart.so"  # what a linker and CMake look for
      [ -e "$unpacked/lib64" ] || ln -s lib "$unpacked/lib64"
      chmod +x "$unpacked"/bin/* "$unpacked"/nvvm/bin/* 2>/dev/null || true
      touch "$destination.part/unpacked/.complete-13.0.88"
      mv "$destination.part/unpacked" "$destination"
      rm -rf "$destination.part"
      echo "   unpacked: $(du -sh "$destination" | cut -f1)"
    fi
    echo "$root/bin/nvcc" ;;
  libraries)
    marker=$destination/.complete-cuda-2.11.0
    [ -f "$marker" ] && exit 0
    [ -f "$destination/torch/lib/libtorch_cpu.so" ] || {
      echo "error: $destination has no libtorch; run cmake/fetch_libtorch.sh $destination first" >&2; exit 1; }
    staging=$destination.cuda.part
    echo "== fetching libtorch's CUDA libraries (2.5 GB, once; 3.4 GB unpacked) into $destination"
    free=$(df --output=avail -B1M "$(dirname "$destination")" | tail -1)
    [ "$free" -gt 7000 ] || {
      echo "error: $(dirname "$destination") has $free MB free, and 7000 are needed on the way;" \
        "free space or set KVANTAGE_CACHE" >&2
      exit 1; }
    rm -rf "$staging/unpacked"
    fetch_all "$staging" "${libraries[@]}"
    unpack_wheels "$staging" torch/lib/libtorch.so 'torch/lib/libtorch_cuda*.so' 'torch/lib/libc10_cuda.so' \
      torch/lib/libcaffe2_nvrtc.so torch/lib/libtorch_nvshmem.so 'nvidia/*/lib/*.so*'
    check_there "$staging/unpacked" torch/lib/libtorch_cuda.so torch/lib/libc10_cuda.so \
      nvidia/cu13/lib/libcublas.so.13 nvidia/cudnn/lib/libcudnn.so.9
    cp -r "$staging/unpacked/." "$destination/"
    touch "$marker"
    rm -rf "$staging"
    echo "   in place: $(du -sh "$destination" | cut -f1)" ;;
  *) echo "error: '$part' is neither 'toolkit' nor 'libraries'" >&2; exit 2 ;;
esac
