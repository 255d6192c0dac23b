// Per-row state of every head that follows the rows when some are dropped.
#pragma once

#include <vector>

#include "core/kv/kv_cache.h"

namespace kvantage::inline decode_eviction {

template <class T>
class RowState {
 public:
  RowState(int layers, int kv_heads) : kv_heads_(kv_heads), heads_(static_cast<std::size_t>(layers * kv_heads)) {}
  std::vector<T>& head(int layer, int kv_head) { return heads_[static_cast<std::size_t>(layer * kv_heads_ + kv_head)]; }
  /// Rows of one layer: removes `victims` and closes the gaps.
  void drop(int layer, const KeptIndices& victims) {
    for (int h = 0; h < kv_heads_; ++h) {
      std::vector<T>& rows = head(layer, h);
      const auto& gone = victims[static_cast<std::size_t>(h)];
      std::size_t to = 0, next = 0;
      for (std::size_t from = 0; from < rows.size(); ++from) {
        if (next < gone.size() && static_cast<std::size_t>(gone[next]) == from) {
          ++next;
          continue;
        }
        if (to != from) rows[to] = std::move(rows[from]);
        ++to;
      }
      rows.resize(to);
    }
  }

 private:
  int kv_heads_;
  std::vector<std::vector<T>> heads_;
};

}  // namespace kvantage::inline decode_eviction
