// Quest: keeps all rows; a query reads only the pages that may matter to it (Tang et al. 2024, arXiv 2406.10774).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/model/decode_hooks.h"

namespace kvantage::inline decode_eviction {

struct QuestOptions {
  int page_tokens = 16;
  int budget_tokens = 512;  // rows read per query head, in whole pages, at least 3
  int dense_layers = 2;     // the first layers read everything
};

/// "quest(page=16,dense=2)"; the budget is given separately, as for eviction methods. usage error as parse_method().
Expected<QuestOptions> read_quest(std::string_view text);

/// For a query q and a page P of a head: u_P = sum over channels c of max(q_c max_P k_c, q_c min_P k_c), an upper bound
/// of q.k over the page. Reads the max(3, budget / page) best pages. Page extremes are updated as rows arrive; after
/// rows are removed they are rebuilt.
class QuestSelector final : public DecodeHooks {
 public:
  /// group: query heads per KV head.
  explicit QuestSelector(const QuestOptions& options, int group = 1) : options_(options), group_(group) {}
  bool selects(int layer) const override { return layer >= options_.dense_layers; }
  std::span<const std::int32_t> rows(const KvCache& cache, int layer, int query_head,
                                     std::span<const float> query) override;

  std::uint64_t rows_read() const { return rows_read_; }  // over all query heads of selecting layers
  std::uint64_t rows_held() const { return rows_held_; }  // dense attention would read these
  /// Bytes of page extremes: 2 * head_dim floats per page and head.
  std::size_t metadata_bytes() const;

 private:
  struct Head {
    int rows = 0;                        // included in the extremes so far
    std::vector<float> lowest, highest;  // [pages, head_dim]
  };
  void sum_up(const KvCache& cache, int layer, int kv_head, Head& head);

  QuestOptions options_;
  int group_;
  std::vector<Head> heads_;  // [layers * kv_heads]
  std::vector<std::int32_t> chosen_;
  std::uint64_t rows_read_ = 0, rows_held_ = 0;
};

}  // namespace kvantage::inline decode_eviction
