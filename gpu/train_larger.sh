#!/usr/bin/env bash
# Trains a larger variant of the default model on a GPU: the families, curriculum and tokenizer of the default model,
# wider and deeper, on longer texts (28 M parameters). Writes the model, its card with the accuracy measured at the end,
# and all output into OUT. Resumes from OUT where it holds a training.
# Usage: gpu/train_larger.sh OUT [MINUTES]
#   MINUTES 45 by default. DEVICE=cpu, WIDTHS="--hidden 64 ..." and LENGTH=256 try the script where there is no GPU.
set -euo pipefail
out=${1:?"usage: gpu/train_larger.sh OUT [MINUTES]"}
minutes=${2:-45}
device=${DEVICE:-cuda}
length=${LENGTH:-4608}
widths=${WIDTHS:---hidden 512 --layers 10 --heads 16 --kv-heads 4 --head-dim 32 --intermediate 1408}
cli=${KVANTAGE_CLI:-$(dirname "${BASH_SOURCE[0]}")/../build/release/app/kvantage-cli}
[ -x "$cli" ] || { echo "error: $cli is not there: build it with ./run --gpu, or name it in KVANTAGE_CLI" >&2; exit 2; }
mkdir -p "$out"
command=("$cli" model train --out "$out" --device "$device" --minutes "$minutes" --max-length "$length"
  --batch-factor "${BATCH_FACTOR:-4}" --threads "$(nproc)")
if [ -f "$out/training_state.safetensors" ]; then
  command+=(--resume "$out")
else
  read -ra shape <<<"$widths"
  command+=("${shape[@]}")
fi
"${command[@]}" 2>&1 | tee -a "$out/training.log"
lengths=512,1024,2048,4096
[ "$length" -lt 4096 ] && lengths=$((length / 2))
"$cli" model train --out "$out" --device "$device" --evaluate --probes "${PROBES:-200}" --evaluate-lengths "$lengths" |
  tee "$out/evaluation.txt"
{
  echo "# Model card: a larger variant of KVantage's default model"
  echo
  echo "Trained as the default model (resources/model/MODEL_CARD.md), by \`gpu/train_larger.sh\`: the same families," \
    "made while training, the same tokenizer,"
  echo "prompt and limits. Trained on texts of up to $length tokens with their questions, on $device," \
    "$(date -u +%Y-%m-%d); in the last call $minutes minutes."
  echo
  echo '```'
  "$cli" model info "$out"
  echo '```'
  echo
  echo "Exact match of the greedy answer with the whole cache, held-out combinations of words" \
    "(\`model train --evaluate --probes ${PROBES:-200}\`):"
  echo
  echo '```'
  cat "$out/evaluation.txt"
  echo '```'
} >"$out/MODEL_CARD.md"
echo "the card is $out/MODEL_CARD.md"
