#include "core/model/unseen_rows.h"

#include <algorithm>
#include <numeric>

#include "core/model/kernels/kernels.h"
#include "core/model/layer_math.h"

namespace kvantage::inline model {

std::int32_t unseen_rows(int window, std::int32_t next) {
  return window == 0 ? 0 : std::max(0, next - window + 1) / key_tile * key_tile;
}

std::int32_t max_seen_rows(int window) { return window - 1 + key_tile - 1; }

Expected<std::size_t> evict_unseen_rows(const Transformer& model, KvCache& cache, int layer, std::int32_t next) {
  const int window = model.config().window(layer);
  if (window == 0 || cache.encoded() != nullptr) return std::size_t{0};
  KeptIndices unseen(static_cast<std::size_t>(cache.shape().kv_heads));
  std::size_t rows = 0;
  for (std::size_t h = 0; h < unseen.size(); ++h) {
    const int first_seen = first_row_from(cache.head(layer, static_cast<int>(h)), next - window + 1);
    unseen[h].resize(static_cast<std::size_t>(first_seen / key_tile * key_tile));
    std::iota(unseen[h].begin(), unseen[h].end(), 0);
    rows += unseen[h].size();
  }
  if (rows > 0) KV_TRY(cache.evict(layer, unseen));
  return rows;
}

bool has_seen_rows(const Transformer& model, const KvCache& cache, std::int32_t next) {
  if (next <= 0) return true;
  for (int layer = 0; layer < cache.shape().layers; ++layer) {
    const int window = model.config().window(layer);
    for (int head = 0; window > 0 && head < cache.shape().kv_heads; ++head)
      if (first_row_from(cache.head(layer, head), std::max(0, next - window + 1) + 1) == 0) return false;
  }
  return true;
}

}  // namespace kvantage::inline model
