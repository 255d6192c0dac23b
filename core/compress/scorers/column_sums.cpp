#include "core/compress/scorers/column_sums.h"

#include <algorithm>

namespace kvantage::inline scorers {

void for_attention_blocks(const at::Tensor& queries, const at::Tensor& keys,
                          const std::function<void(std::int64_t first, const at::Tensor& attention)>& block) {
  const std::int64_t window = queries.size(1), tokens = keys.size(0), before = tokens - window;
  constexpr auto rows = static_cast<std::int64_t>(attention_block_rows);
  for (std::int64_t begin = 0; begin < window; begin += rows) {
    const std::int64_t end = std::min(window, begin + rows);
    block(before + begin, window_attention(queries.slice(1, begin, end), keys.slice(0, 0, before + end)));
  }
}

}  // namespace kvantage::inline scorers
