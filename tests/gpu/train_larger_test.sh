#!/usr/bin/env bash
# gpu/train_larger.sh on the processor, as small as it goes: it trains, continues from what it trained, and writes the
# card with what was measured.
# Usage: train_larger_test.sh KVANTAGE_CLI
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
train() {
  KVANTAGE_CLI=$1 DEVICE=cpu LENGTH=256 PROBES=2 \
    WIDTHS="--hidden 32 --layers 2 --heads 2 --kv-heads 1 --head-dim 16 --intermediate 64" \
    bash "$here/../../gpu/train_larger.sh" "$out/model" 0.05 >"$out/said" 2>&1 || {
    code=$?
    tail -20 "$out/said"
    echo "FAIL: the script ended with $code"
    exit 1
  }
}
holds() { grep -q -- "$2" "$1" || { cat "$1"; echo "FAIL: $1 does not say '$2'"; exit 1; }; }
train "$1"
train "$1"
for file in config.json model.safetensors tokenizer.json training_state.safetensors; do
  [ -s "$out/model/$file" ] || { echo "FAIL: there is no $file"; exit 1; }
done
holds "$out/model/MODEL_CARD.md" '^parameters  *113952$'
holds "$out/model/MODEL_CARD.md" 'on cpu, 20'
holds "$out/model/MODEL_CARD.md" 'exact match \[95 %\]'
holds "$out/model/MODEL_CARD.md" 'needle  *128  *2 '
echo "the colour of the lamp" >"$out/prompt"
"$1" model generate "$out/model" --prompt-file "$out/prompt" --max-tokens 2 >/dev/null || {
  echo "FAIL: what was trained does not answer"
  exit 1
}
if KVANTAGE_CLI="$out/nothing" bash "$here/../../gpu/train_larger.sh" "$out/other" >"$out/said" 2>&1; then
  echo "FAIL: it trains without a program"
  exit 1
fi
holds "$out/said" 'build it with ./run --gpu'
echo passed
