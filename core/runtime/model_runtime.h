// The model with everything that belongs to it: tokenizer, prompt form, block pool and the identity of its caches.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/compress/scorers/observation.h"
#include "core/kv/block_pool.h"
#include "core/kv/context_key.h"
#include "core/model/model_device.h"
#include "core/model/transformer.h"
#include "core/text/prompt_template.h"

namespace kvantage::inline runtime {

struct ModelRuntimeOptions {
  int prefill_chunk_tokens = 256;
  int block_tokens = 32;
  std::uint64_t pool_bytes = std::uint64_t{2} << 30;  // most memory of live caches
  std::string name;                                   // shown to users; empty: the folder's
  LoadOptions load;
  /// Opens what is to compute in the processor's stead once the model is there; its errors are those of loading. Empty:
  /// the processor computes.
  std::function<Expected<std::shared_ptr<ModelDevice>>(const Transformer& model)> open_device = {};
};

struct ModelRuntime {
  std::string name;  // for people; nothing is keyed by it
  std::unique_ptr<Transformer> model;
  std::shared_ptr<const Tokenizer> tokenizer;
  std::unique_ptr<PromptTemplate> prompt;
  std::unique_ptr<BlockPool> pool;
  CacheIdentity identity;
  int window_queries = 64;  // kept beside originals for methods that score by the last queries
  QueryMeans calibration;   // of this model, once a method has needed it

  int chunk_tokens() const { return identity.prefill_chunk_tokens; }
  std::vector<std::int32_t> stop_ids() const;
  /// Blocks of the pool that an uncompressed cache of so many tokens takes.
  std::size_t blocks_for(std::size_t tokens) const;
  /// Nothing where the processor computes.
  std::optional<ModelDeviceGauges> device_gauges() const;
  /// Digest of model and tokenizer: stored caches of different models live apart.
  Digest128 digest() const;
  /// Digest of all that an answer hangs on beside context and question: model, tokenizer, prompt form and the longest
  /// answer. What profiles and reference answers are keyed by.
  Digest128 answering_digest(int max_answer_tokens) const;

  /// Loads a Hugging Face folder. rejected_input as Transformer::load and Tokenizer::load.
  static Expected<std::unique_ptr<ModelRuntime>> load(const std::filesystem::path& folder,
                                                      const ModelRuntimeOptions& options = {});
};

}  // namespace kvantage::inline runtime
