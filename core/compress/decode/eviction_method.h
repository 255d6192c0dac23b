// Decode-time eviction: rows are evicted as new ones arrive, so that a long answer runs within a fixed token budget.
//
// A DecodeEviction selects the tokens of a layer to drop. EvictionLoop (eviction_loop.h) runs it, one loop per
// generation: it counts, computes attention where the method needs it, evicts and compacts. One method = one file and
// one row in the table of eviction_methods.cpp. Every head of a layer drops the same number of tokens.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/text_form.h"
#include "core/compress/scorers/observation.h"
#include "core/kv/kv_cache.h"

namespace kvantage::inline decode_eviction {

struct EvictionNeeds {
  bool attention = false;  // weights of every step: a fused kernel does not keep them
  int window_queries = 0;  // queries of the last steps
  bool calibration = false;
  bool every_step = false;  // called at every step above budget, ignoring the cadence: the method decides when to evict
};

/// One layer right after a step's attention.
struct StepView {
  const KvCache& cache;
  int layer = 0;
  int group = 1;  // query heads per KV head
  /// Per KV head [group, kept]: softmax(q K^T / sqrt(d)); empty where the method does not need it.
  std::span<const std::vector<float>> attention;
  /// Queries of the last steps, oldest first, [rows][heads, head_dim]; empty where the method does not need them.
  std::span<const std::vector<float>> queries;
};

class DecodeEviction {
 public:
  virtual ~DecodeEviction() = default;
  virtual EvictionNeeds needs() const = 0;
  /// Starts on the cache after the prompt. observed: queries of the prompt's tokens and calibration, where needed.
  virtual Status begin(const KvCache& /*cache*/, const Observation& /*observed*/) { return {}; }
  /// Observes one step of one layer; the new token is its last row.
  virtual void see(const StepView& /*step*/) {}
  /// Tokens of the layer to drop, per KV head ascending, the same number in each: at least `excess` where the method
  /// can. Called when a layer exceeds its budget, at the cadence or as needs().every_step requires.
  virtual Expected<KeptIndices> victims(const StepView& step, int excess) = 0;
  /// Notifies that tokens were dropped: updates per-row state.
  virtual void dropped(int /*layer*/, const KeptIndices& /*victims*/) {}
};

struct EvictionInfo {
  std::string_view name;
  std::string_view parameters;  // with their defaults
  std::string_view summary;
  std::string_view source;
  bool needs_attention = false;
  int cadence = 1;  // steps between evictions; the authors' value where they evict by steps
};

/// Constant during one generation.
struct EvictionSetting {
  int layers = 0, kv_heads = 0, heads = 0, head_dim = 0;
  bool shared_heads = false;  // all heads of a layer drop the same tokens, as one block table requires (vLLM)
  std::vector<float> frequencies;
};

std::vector<EvictionInfo> known_eviction_methods();
/// usage error with a near miss, as parse_method().
Expected<std::unique_ptr<DecodeEviction>> make_eviction(std::string_view text, const EvictionSetting& setting);

}  // namespace kvantage::inline decode_eviction
