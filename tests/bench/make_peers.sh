#!/usr/bin/env bash
# Installs the engines that benches are held against, each in a virtual environment of its own: llama.cpp (built from
# the source archive of llama-cpp-python) and transformers in venv-peers, kvpress in venv-kv. Some 6 GB, and a quarter
# of an hour of compiling on two cores.
# Usage: tests/bench/make_peers.sh [FOLDER] [peers|kv]
#   FOLDER: build by default, where benches look; one of the two alone by its name
set -euo pipefail
folder=${1:-build}
which=${2:-both}
python=${PYTHON:-python3}

# environment NAME REQUIREMENT... : made where it is missing; pip leaves alone what is there.
environment() {
  local target=$folder/$1
  shift
  [ -x "$target/bin/python" ] || "$python" -m venv "$target"
  "$target/bin/pip" install --quiet --disable-pip-version-check "$@"
  "$target/bin/python" -c 'import torch; print("torch", torch.__version__)'
}

mkdir -p "$folder"
[ "$which" = kv ] || environment venv-peers --no-binary llama-cpp-python llama-cpp-python==0.3.36 gguf==0.19.0 \
  torch==2.15.0 transformers==5.23.0
[ "$which" = peers ] || environment venv-kv kvpress==0.5.5 torch==2.11.0
echo "in $folder: build/release/tests/bench_tests engine_speed_bench_test and bench_profile_bench_test find them there"
