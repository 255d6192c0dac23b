// Decode-time eviction: rows are evicted as new ones arrive, so that a long answer runs within a fixed token budget.
//
// A DecodeEviction selects the tokens of a layer to drop. EvictionLoop (eviction_loop.h) runs it, one loop per
// generation: it counts, computes attention where the method needs it, evicts and compacts. One method = one file and
// one row in core/ports/decode_methods.inl. Every head of a layer drops the same number of tokens.
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
#include "core/ports/decode_eviction.h"

namespace kvantage::inline decode_eviction {

struct EvictionNeeds {
  bool attention = false;  // weights of every step: a fused kernel does not keep them
  int window_queries = 0;  // queries of the last steps
  bool calibration = false;
  bool every_step = false;  // called at every step above budget, ignoring the cadence: the method decides when to evict
  bool below_budget = false;    // called within the budget as well
  bool whole_sequence = false;  // one decision a step for all layers: victims() is called after the last one
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
  int hidden =
      0;  // newest rows that this step does not see: those of later question tokens, while a prompt is observed

  int rows(int kv_head) const { return cache.kept(layer, kv_head) - hidden; }
};

class DecodeEviction {
 public:
  virtual ~DecodeEviction() = default;
  virtual EvictionNeeds needs() const = 0;
  /// Starts on the cache after the prompt. observed: calibration, where needed, and queries of all tokens of the
  /// prompt. Without these, a method that sums attention starts from nothing.
  virtual Status begin(const KvCache& /*cache*/, const Observation& /*observed*/) { return {}; }
  /// Observes one step of one layer; the new token is its last row.
  virtual void see(const StepView& /*step*/) {}
  /// Tokens of the layer to drop, per KV head ascending, the same number in each: at least `excess` where the method
  /// can. Called when a layer exceeds its budget, at the cadence or as needs().every_step requires.
  virtual Expected<KeptIndices> victims(const StepView& step, int excess) = 0;
  /// The same for the rows of the prompt, before the first token is decoded.
  virtual Expected<KeptIndices> prompt_victims(const StepView& step, int excess) { return victims(step, excess); }
  /// Notifies that tokens were dropped: updates per-row state.
  virtual void dropped(int /*layer*/, const KeptIndices& /*victims*/) {}
};

/// Constant during one generation.
struct EvictionSetting {
  int layers = 0, kv_heads = 0, heads = 0, head_dim = 0;
  BlockTableScope table = BlockTableScope::head;
  std::vector<float> frequencies;

  bool shared_heads() const { return table != BlockTableScope::head; }
};

/// The methods that evict: all but page selectors.
std::vector<DecodeMethodInfo> known_eviction_methods();
/// Checks the values of the method's own parameters. usage error.
Status check_decode_eviction(const DecodeEvictionSetting& eviction);
/// usage error with a near miss, as parse_method(). Methods: core/ports/decode_methods.inl.
Expected<std::unique_ptr<DecodeEviction>> make_eviction(std::string_view text, const EvictionSetting& setting);

}  // namespace kvantage::inline decode_eviction
