// A training on disk: the Hugging Face folder that everything else reads, and the state for resuming. Each file is
// written whole, then renamed; the state comes last, so an interrupted save leaves the previous one.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/train/network.h"
#include "core/train/optimizer.h"

namespace kvantage::inline training {

/// Writes config.json, tokenizer files, model.safetensors (bf16).
Status save_model(const std::filesystem::path& folder, const Network& network, const TokenizerSpec& tokenizer,
                  const TrainShape& shape);
/// Writes training_state.safetensors: fp32 masters, optimizer, and `progress` as metadata.
Status save_state(const std::filesystem::path& folder, const Network& network, Optimizer& optimizer,
                  const Json& progress);

/// Loads the state in `folder`; returns its progress, or an empty object when there were only weights.
Expected<Json> load_checkpoint(const std::filesystem::path& folder, Network& network, Optimizer* optimizer);

}  // namespace kvantage::inline training
