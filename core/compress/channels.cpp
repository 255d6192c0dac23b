#include "core/compress/channels.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/kv/head_rows.h"

namespace kvantage::inline compression {

std::vector<std::int32_t> weakest_channels(std::span<const float> query_squares, std::span<const float> keys,
                                           int count) {
  const std::size_t dim = query_squares.size();
  std::vector<double> scores(dim, 0.0);
  for (std::size_t i = 0; i < keys.size(); ++i)
    scores[i % dim] += static_cast<double>(keys[i]) * static_cast<double>(keys[i]);
  for (std::size_t c = 0; c < dim; ++c) scores[c] *= static_cast<double>(query_squares[c]);
  std::vector<std::int32_t> order(dim);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&scores](std::int32_t c) { return scores[static_cast<std::size_t>(c)]; });
  order.resize(std::min(dim, static_cast<std::size_t>(std::max(count, 0))));
  std::ranges::sort(order);
  return order;
}

Status prune_key_channels(KvCache& cache, int layer, const std::vector<LayerScores::Head>& heads, int count) {
  const KvShape& shape = cache.shape();
  const auto dim = static_cast<std::size_t>(shape.head_dim), element = bytes_of(shape.type);
  struct Rows {
    std::vector<std::byte> keys, values;
    std::vector<std::int32_t> positions;
  };
  std::vector<Rows> all(heads.size());
  for (std::size_t h = 0; h < heads.size(); ++h) {
    Rows& rows = all[h];
    const auto kept = static_cast<std::size_t>(cache.kept(layer, static_cast<int>(h)));
    rows.keys.resize(kept * dim * element);
    rows.values.resize(rows.keys.size());
    rows.positions.resize(kept);
    cache.gather_head(layer, static_cast<int>(h), rows.keys.data(), rows.values.data(), rows.positions.data());
    std::vector<float> keys(kept * dim);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = element_of(rows.keys.data(), shape.type, i);
    for (const std::int32_t c : weakest_channels(heads[h].query_squares, keys, count))
      for (std::size_t t = 0; t < kept; ++t)
        std::memset(&rows.keys[(t * dim + static_cast<std::size_t>(c)) * element], 0, element);
  }
  KV_TRY(cache.keep(layer, KeptIndices(heads.size())));
  for (std::size_t h = 0; h < heads.size(); ++h)
    KV_TRY(cache.append_head(layer, static_cast<int>(h), all[h].keys, all[h].values, all[h].positions));
  return {};
}

}  // namespace kvantage::inline compression
