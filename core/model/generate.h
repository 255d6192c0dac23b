// The plain generation loop: prefills a prompt, then decodes until a stop token, a length or the caller's request. The
// engine has its own loop of resumable steps; this one serves the command line, tests and tools.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/kv/kv_cache.h"
#include "core/model/sampling.h"
#include "core/model/transformer.h"

namespace kvantage::inline model {

struct GenerateOptions {
  int max_tokens = 64;
  std::vector<std::int32_t> stop_tokens;  // default: config().eos_ids; a stop token is not part of the answer
  SamplingOptions sampling;
  int chunk_tokens = 256;
  DecodeHooks* hooks = nullptr;  // for the decode steps
};

enum class FinishReason { stop, length, cancelled };
const char* to_string(FinishReason reason);

struct Generation {
  std::vector<std::int32_t> tokens;
  FinishReason reason = FinishReason::length;
};

/// Called with each chosen token; false cancels. Also called once per layer with token = -1, so that cancellation takes
/// at most one layer.
using TokenCallback = std::function<bool(std::int32_t token)>;

/// Prefills `prompt` at positions cache.sequence_length() onwards and decodes. On cancel the cache holds the completed
/// tokens; on an error it is truncated to its earlier length. rejected_input where a logit is not finite.
Expected<Generation> generate(Transformer& model, KvCache& cache, std::span<const std::int32_t> prompt,
                              const GenerateOptions& options, const TokenCallback& on_token = {});

/// The second half: continues decoding from the logits of the last token in `cache`. After an error the cache holds the
/// completed tokens.
Expected<Generation> decode_from(Transformer& model, KvCache& cache, std::vector<float> logits,
                                 const GenerateOptions& options, const TokenCallback& on_token = {});

}  // namespace kvantage::inline model
