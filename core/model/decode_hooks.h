// Hooks into a decode step: page selection (fewer rows are read) and decode-time eviction (rows are removed). Without
// hooks, a DecodeTask computes its normal numbers.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/error.h"
#include "core/kv/kv_cache.h"

namespace kvantage::inline model {

class DecodeHooks {
 public:
  virtual ~DecodeHooks() = default;
  /// Whether rows() is called for this layer; otherwise every query head reads all rows.
  virtual bool selects(int /*layer*/) const { return false; }
  /// Rows that one query head reads: ascending indices into the kept tokens of its KV head; valid until the next call.
  /// query: [head_dim] after RoPE, not scaled. At least one row.
  virtual std::span<const std::int32_t> rows(const KvCache& /*cache*/, int /*layer*/, int /*query_head*/,
                                             std::span<const float> /*query*/) {
    return {};
  }
  /// After the attention of a layer, with its token appended. queries: [heads, head_dim] after RoPE, not scaled. May
  /// evict rows of this layer.
  virtual Status after_layer(KvCache& /*cache*/, int /*layer*/, std::span<const float> /*queries*/) { return {}; }
};

}  // namespace kvantage::inline model
