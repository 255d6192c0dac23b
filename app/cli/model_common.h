// Shared by the model subcommands: compute options for loading, and a cache for a run of tokens.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/kv/kv_cache.h"
#include "core/model/transformer.h"

namespace kvantage::cli {

struct ModelArguments {
  std::string folder;
  bool fp32 = false;
  int threads = 0;
  int max_model_len = 0;
};

/// Declares the folder option, --fp32, --max-model-len and --threads.
void add_model_options(CLI::App& command, ModelArguments& arguments);
/// Sets the threads and loads the model.
Expected<std::unique_ptr<Transformer>> load_model(const ModelArguments& arguments);
/// Token ids from a JSON file: a list, or an object with `ids` as printed by `tokenize --json`.
Expected<std::vector<std::int32_t>> read_token_ids(const std::string& path);
/// Bytes of a pool for `tokens` tokens of this shape in blocks of `block_tokens`.
std::size_t pool_bytes_for(const KvShape& shape, int block_tokens, std::size_t tokens);

}  // namespace kvantage::cli
