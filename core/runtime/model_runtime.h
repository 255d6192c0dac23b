// The model and what belongs to it: tokenizer, prompt form, block pool, cache identity.
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
#include "core/text/chat/prompt_template.h"

namespace kvantage::inline runtime {

struct ModelRuntimeOptions {
  int prefill_chunk_tokens = 256;
  int block_tokens = 32;
  std::uint64_t pool_bytes = std::uint64_t{2} << 30;  // maximum memory of live caches
  std::string name;                                   // for display; empty: the folder's
  std::string note = {};                              // what a ranking of methods on this model must say
  LoadOptions load;
  PromptOptions prompt = {};
  /// Opens the device that computes the model's passes once the model is loaded; its errors are loading errors. Empty:
  /// the CPU computes.
  std::function<Expected<std::shared_ptr<ModelDevice>>(const Transformer& model)> open_device = {};
};

struct ModelRuntime {
  std::string name, note;  // for display; not part of any key
  std::unique_ptr<Transformer> model;
  std::shared_ptr<const Tokenizer> tokenizer;
  std::unique_ptr<PromptTemplate> prompt;
  std::unique_ptr<BlockPool> pool;
  CacheIdentity identity;
  int window_queries = 64;  // stored with originals for methods that score by the last queries
  QueryMeans calibration;   // of this model, whose digest it holds, once a method has needed it

  int chunk_tokens() const { return identity.prefill_chunk_tokens; }
  std::vector<std::int32_t> stop_ids() const;
  /// Blocks of the pool for an uncompressed cache of so many tokens.
  std::size_t blocks_for(std::size_t tokens) const;
  /// Of an entry of so many tokens under the codec layer_inputs, which is also its method's text.
  std::uint64_t bytes_with_inputs(const Codec& layer_inputs, std::size_t tokens) const;
  /// Nothing if the CPU computes.
  std::optional<ModelDeviceGauges> device_gauges() const;
  /// Digest of model and tokenizer: stored caches of different models are separate.
  Digest128 digest() const;
  /// Digest of everything that affects an answer besides context and question: model, tokenizer, prompt form, maximum
  /// answer length. The key of profiles and reference answers.
  Digest128 answering_digest(int max_answer_tokens) const;

  /// Loads a Hugging Face folder. Errors as Transformer::load and Tokenizer::load.
  static Expected<std::unique_ptr<ModelRuntime>> load(const std::filesystem::path& folder,
                                                      const ModelRuntimeOptions& options = {});
};

}  // namespace kvantage::inline runtime
