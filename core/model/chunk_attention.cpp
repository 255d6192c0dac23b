#include "core/model/chunk_attention.h"

#include <algorithm>
#include <vector>

#include "core/model/layer_math.h"

namespace kvantage::inline model {
namespace {

constexpr int queries_worth_splitting = 16;

/// Multiply-adds that one thread finishes before a second one has woken up.
constexpr std::int64_t work_worth_splitting = std::int64_t{4} << 20;

}  // namespace

void attend_chunk(const Transformer::Impl& model, const KvCache& cache, int layer, const ChunkQueries& chunk) {
  const ModelConfig& config = model.config;
  const std::vector<float>& sinks = model.layers[static_cast<std::size_t>(layer)].extra.sinks;
  const int size = static_cast<int>(chunk.positions.size());
  std::vector<HeadRows> addresses(static_cast<std::size_t>(config.kv_heads));
  std::vector<KvRows> rows;
  for (int h = 0; h < config.kv_heads; ++h)
    rows.push_back(addresses[static_cast<std::size_t>(h)].rows(cache, layer, h, model.kv_element()));
  std::vector<HeadRows> decoded(cache.encoded() == nullptr ? 0 : addresses.size());  // one layer at a time
  for_parts(static_cast<std::int64_t>(decoded.size()), 1, [&](int begin_head, int end_head) {
    for (int h = begin_head; h < end_head; ++h)
      rows[static_cast<std::size_t>(h)] = decoded[static_cast<std::size_t>(h)].decode(
          cache, layer, h, rows[static_cast<std::size_t>(h)], 0, rows[static_cast<std::size_t>(h)].kept);
  });
  const auto begins = window_begins(cache, layer, config.window(layer), chunk.positions);
  // Work items: (KV head, part of the queries, some of its query heads). Later parts see more rows, so there are more
  // items than threads. A short question over a long context is one part: then threads share a KV head's query heads,
  // each reading the keys itself.
  const int wanted_parts = std::max(1, (4 * compute_threads()) / config.kv_heads);
  const int queries = std::max(queries_worth_splitting, (size + wanted_parts - 1) / wanted_parts);
  const int parts = (size + queries - 1) / queries;
  const int slices = std::clamp(compute_threads() / (parts * config.kv_heads), 1, config.group());
  const int slice_heads = (config.group() + slices - 1) / slices;
  const std::ptrdiff_t head_bytes =
      static_cast<std::ptrdiff_t>(config.head_dim) * (model.element() == Element::bf16 ? 2 : 4);
  const std::int64_t item_work =
      std::int64_t{2} * std::min(size, queries) * slice_heads * config.head_dim * std::max(1, rows.front().kept);
  for_parts(static_cast<std::int64_t>(parts) * config.kv_heads * slices, work_worth_splitting / item_work,
            [&](int begin_item, int end_item) {
              for (int item = begin_item; item < end_item; ++item) {
                const int head = item % config.kv_heads, slice = item / config.kv_heads % slices,
                          part = item / (config.kv_heads * slices);
                const int first_head = slice * slice_heads,
                          query_heads = std::min(slice_heads, config.group() - first_head);
                if (query_heads <= 0) continue;
                PrefillAttention job;
                job.rows = rows[static_cast<std::size_t>(head)];
                job.head_dim = config.head_dim;
                job.group = query_heads;
                job.first = part * queries;
                job.last = std::min(size, job.first + queries);
                job.visible_before = job.rows.kept - size;
                job.queries =
                    static_cast<const std::byte*>(chunk.queries) + (head * config.group() + first_head) * head_bytes;
                job.output = static_cast<std::byte*>(chunk.output) + (head * config.group() + first_head) * head_bytes;
                job.stride = static_cast<std::ptrdiff_t>(config.heads) * config.head_dim;
                job.type = model.element();
                job.form.cap = model.score_cap();
                if (!begins.empty()) job.form.begins = begins[static_cast<std::size_t>(head)].data();
                if (!sinks.empty())
                  job.form.sinks = &sinks[static_cast<std::size_t>(head * config.group() + first_head)];
                model.kernel().attention_prefill(job);
              }
            });
}

}  // namespace kvantage::inline model
