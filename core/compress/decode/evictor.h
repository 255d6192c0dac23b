// Eviction while decoding: rows go as new ones come, so that a long answer runs in a fixed number of tokens.
//
// A DecodeEvictor says which tokens of a layer to drop; EvictionLoop (eviction_loop.h) drives it, one loop for one
// generation: it counts, computes attention where the evictor needs it, evicts, compacts. One evictor = one file, one
// line in the table of evictors.cpp. Every head of a layer drops the same number of tokens.
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

namespace kvantage {

struct EvictorNeeds {
  bool attention = false;  // weights of every step: what a fused kernel does not keep
  int window_queries = 0;  // queries of the last so many steps
  bool calibration = false;
  bool every_step = false;  // asked at every step above budget, whatever the cadence: rows go when the method says so
};

/// One layer right after a step's attention.
struct StepView {
  const KvCache& cache;
  int layer = 0;
  int group = 1;  // query heads of a KV head
  /// Per KV head [group, kept]: softmax(q K^T / sqrt(d)); empty where the evictor does not need it.
  std::span<const std::vector<float>> attention;
  /// Queries of the last steps, oldest first, [rows][heads, head_dim]; where the evictor needs them.
  std::span<const std::vector<float>> queries;
};

class DecodeEvictor {
 public:
  virtual ~DecodeEvictor() = default;
  virtual EvictorNeeds needs() const = 0;
  /// Takes the cache as the prompt left it. observed: queries of the prompt's tokens and calibration, where needed.
  virtual Status begin(const KvCache& /*cache*/, const Observation& /*observed*/) { return {}; }
  /// Sees one step of one layer; the new token is its last row.
  virtual void see(const StepView& /*step*/) {}
  /// Which tokens of the layer to drop, per KV head ascending, the same number in each: at least `excess` where the
  /// method can. Called when a layer holds more than its budget, at the cadence or as needs().every_step says.
  virtual Expected<KeptIndices> victims(const StepView& step, int excess) = 0;
  /// Tells that tokens are gone: state kept by row follows.
  virtual void dropped(int /*layer*/, const KeptIndices& /*victims*/) {}
};

struct EvictorInfo {
  std::string_view name;
  std::string_view parameters;  // with their defaults
  std::string_view summary;
  std::string_view source;
  bool needs_attention = false;
  int cadence = 1;  // steps from one eviction to the next; its authors' where they evict by steps
};

/// What is fixed for one generation.
struct EvictorSetting {
  int layers = 0, kv_heads = 0, heads = 0, head_dim = 0;
  bool shared_heads = false;  // all heads of a layer drop the same tokens, as one block table asks for (vLLM)
  std::vector<float> frequencies;
};

std::vector<EvictorInfo> known_evictors();
/// usage error with a near miss, as parse_method().
Expected<std::unique_ptr<DecodeEvictor>> make_evictor(std::string_view text, const EvictorSetting& setting);

}  // namespace kvantage
