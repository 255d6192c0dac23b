#!/usr/bin/env bash
# Fetches the wheels whose config classes tests/parity/validate_exports.py loads: LMCache (18 MB) and vLLM (336 MB),
# without what they depend on; nothing of them is installed.
# Usage: fetch_serving_packages.sh FOLDER [lmcache|vllm]      Both by default. A wheel that is there is kept.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../cmake/fetch_wheel.sh"
folder=$1
mkdir -p "$folder" || { echo "error: $folder cannot be made: give another folder" >&2; exit 1; }
case ${2:-both} in lmcache|both)
  fetch_wheel lmcache==0.5.6 lmcache-0.5.6-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl \
    14530ff72b96056e894c9b8dc70c10d019e7802799bbfde9cec298700b799194 "$folder" || exit 1 ;;
esac
case ${2:-both} in vllm|both)
  fetch_wheel vllm==0.33.0 vllm-0.33.0-cp38-abi3-manylinux_2_28_x86_64.whl \
    4b6bdec4ab269990bf70d45a3c1e94c3760a27064513760193b26d6f0da883aa "$folder" || exit 1 ;;
esac
