#include "core/compress/decode/quest.h"

#include <algorithm>
#include <numeric>

#include "core/base/text_form.h"
#include "core/kv/head_rows.h"
#include "core/ports/decode_eviction.h"

namespace kvantage::inline decode_eviction {
namespace {

constexpr int fewest_pages = 3;

}  // namespace

Expected<QuestOptions> read_quest(std::string_view text) {
  KV_ASSIGN(const auto form, read_method_text(text));
  KV_ASSIGN(const auto parameters, Parameters::resolve(form, find_decode_method("quest")->parameters));
  KV_ASSIGN(const auto page, parameters.integer("page", 1, 4096));
  KV_ASSIGN(const auto dense, parameters.integer("dense", 0, 4096));
  return QuestOptions{.page_tokens = page, .dense_layers = dense};
}

void QuestSelector::sum_up(const KvCache& cache, int layer, int kv_head, Head& head) {
  const HeadView view = cache.head(layer, kv_head);
  const auto dim = static_cast<std::size_t>(cache.shape().head_dim);
  if (view.kept < head.rows) head = {};
  std::vector<float> row(dim);
  for (; head.rows < view.kept; ++head.rows) {
    read_key(view, cache.shape(), static_cast<std::size_t>(head.rows), row);
    if (head.rows % options_.page_tokens == 0) {
      head.lowest.insert(head.lowest.end(), row.begin(), row.end());
      head.highest.insert(head.highest.end(), row.begin(), row.end());
      continue;
    }
    const std::size_t page = head.lowest.size() - dim;
    for (std::size_t d = 0; d < dim; ++d) {
      head.lowest[page + d] = std::min(head.lowest[page + d], row[d]);
      head.highest[page + d] = std::max(head.highest[page + d], row[d]);
    }
  }
}

std::span<const std::int32_t> QuestSelector::rows(const KvCache& cache, int layer, int query_head,
                                                  std::span<const float> query) {
  const int kv_heads = cache.shape().kv_heads, kv_head = query_head / group_;
  heads_.resize(static_cast<std::size_t>(cache.shape().layers * kv_heads));
  Head& head = heads_[static_cast<std::size_t>(layer * kv_heads + kv_head)];
  sum_up(cache, layer, kv_head, head);
  const std::size_t dim = query.size(), pages = head.lowest.size() / dim;
  std::vector<float> bounds(pages, 0.0F);
  for (std::size_t p = 0; p < pages; ++p)
    for (std::size_t d = 0; d < dim; ++d)
      bounds[p] += std::max(query[d] * head.highest[p * dim + d], query[d] * head.lowest[p * dim + d]);
  std::vector<std::int32_t> order(pages);
  std::iota(order.begin(), order.end(), 0);
  const auto wanted =
      std::min(pages, static_cast<std::size_t>(std::max(fewest_pages, options_.budget_tokens / options_.page_tokens)));
  std::ranges::partial_sort(
      order, order.begin() + static_cast<std::ptrdiff_t>(wanted), [&](std::int32_t a, std::int32_t b) {
        const float x = bounds[static_cast<std::size_t>(a)], y = bounds[static_cast<std::size_t>(b)];
        return x != y ? x > y : a < b;
      });
  order.resize(wanted);
  std::ranges::sort(order);
  chosen_.clear();
  for (const std::int32_t page : order)
    for (int r = page * options_.page_tokens; r < std::min(head.rows, (page + 1) * options_.page_tokens); ++r)
      chosen_.push_back(r);
  rows_read_ += chosen_.size();
  rows_held_ += static_cast<std::uint64_t>(head.rows);
  return chosen_;
}

std::size_t QuestSelector::metadata_bytes() const {
  std::size_t floats = 0;
  for (const Head& head : heads_) floats += head.lowest.size() + head.highest.size();
  return floats * sizeof(float);
}

}  // namespace kvantage::inline decode_eviction
