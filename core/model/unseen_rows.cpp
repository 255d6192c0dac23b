#include "core/model/unseen_rows.h"

#include <numeric>

#include "core/model/kernels/kernels.h"
#include "core/model/layer_math.h"

namespace kvantage::inline model {

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

}  // namespace kvantage::inline model
