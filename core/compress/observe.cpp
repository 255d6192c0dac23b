#include "core/compress/observe.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>

#include "core/kv/head_rows.h"

namespace kvantage::inline compression {
namespace {

constexpr int repeat_part_tokens = 2048;
constexpr int min_part_tokens = 64;
constexpr std::size_t repeated_before = 8;  // tokens of the previous part that a later repeat prompt ends with

Status run(PrefillTask& task, const std::function<bool()>& stop) {
  while (!task.done()) {
    if (stop && stop()) return fail(ErrorCode::cancelled, "observing the context was stopped");
    KV_TRY(task.step());
  }
  return {};
}

Expected<WindowQueries> queries_of(Transformer& model, BlockPool& pool, std::span<const std::int32_t> tokens,
                                   int window, int chunk_tokens, const std::function<bool()>& stop) {
  KvCache cache(pool);
  PrefillTask task(model, cache, {tokens.begin(), tokens.end()}, 0,
                   {.chunk_tokens = chunk_tokens, .window_queries = window, .logits = PrefillLogits::none});
  KV_TRY(run(task, stop));
  return task.take_window_queries();
}

/// Keys of the last `rows` tokens of one layer as fp32: [kv_heads, rows, head_dim].
std::vector<float> last_keys(const KvCache& cache, int layer, int rows) {
  const KvShape& shape = cache.shape();
  const auto dim = static_cast<std::size_t>(shape.head_dim);
  std::vector<float> floats(static_cast<std::size_t>(shape.kv_heads * rows) * dim);
  std::size_t next = 0;
  for (int h = 0; h < shape.kv_heads; ++h) {
    const HeadView head = cache.head(layer, h);
    for (int t = head.kept - rows; t < head.kept; ++t, next += dim)
      read_key(head, shape, static_cast<std::size_t>(t), std::span(floats).subspan(next, dim));
  }
  return floats;
}

Expected<RepeatChunk> repeat(Transformer& model, const KvCache& original, std::span<const std::int32_t> tokens,
                             int first, const ObserveTexts& texts, int chunk_tokens,
                             const std::function<bool()>& stop) {
  std::vector<std::int32_t> input_ids = first == 0 ? texts.repeat_first : texts.repeat_next;
  const auto begin = tokens.begin() + first;
  if (first > 0) input_ids.insert(input_ids.end(), begin - repeated_before, begin);
  input_ids.insert(input_ids.end(), texts.repeat_mark.begin(), texts.repeat_mark.end());
  // The repetition follows the context: where positions run short, parts are shorter than the method's.
  const int room = model.config().max_positions - original.sequence_length() - static_cast<int>(input_ids.size());
  if (room < min_part_tokens)
    return fail(ErrorCode::rejected_input,
                "a repeat pass over " + std::to_string(tokens.size()) + " tokens: the model's " +
                    std::to_string(model.config().max_positions) +
                    " positions leave no room to repeat them; use a shorter context or a method other than kvzip");
  RepeatChunk chunk;
  chunk.first = first;
  chunk.last = std::min({first + repeat_part_tokens, first + room, static_cast<int>(tokens.size())});
  input_ids.insert(input_ids.end(), begin, tokens.begin() + chunk.last);
  chunk.rows = static_cast<int>(input_ids.size());
  KvCache cache = original.share();
  PrefillTask task(model, cache, std::move(input_ids), original.sequence_length(),
                   {.chunk_tokens = chunk_tokens, .window_queries = chunk.rows, .logits = PrefillLogits::none});
  KV_TRY(run(task, stop));
  chunk.queries = task.take_window_queries().layers;
  for (int l = 0; l < cache.shape().layers; ++l) chunk.keys.push_back(last_keys(cache, l, chunk.rows));
  return chunk;
}

}  // namespace

QueryMeans query_means(const WindowQueries& queries, std::span<const float> frequencies, int first_position) {
  const std::size_t pairs = frequencies.size(), heads = static_cast<std::size_t>(queries.heads),
                    rows = static_cast<std::size_t>(queries.window);
  // RoPE at position p rotates pair f by p * frequency: the same for all heads and layers.
  std::vector<std::complex<double>> back(rows * pairs);
  for (std::size_t t = 0; t < rows; ++t)
    for (std::size_t f = 0; f < pairs; ++f)
      back[t * pairs + f] = std::polar(
          1.0, -static_cast<double>(static_cast<float>(first_position + static_cast<int>(t)) * frequencies[f]));
  QueryMeans means;
  for (const std::vector<float>& layer : queries.layers) {
    QueryMeans::Layer& mean = means.layers.emplace_back();
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t f = 0; f < pairs; ++f) {
        std::complex<double> sum = 0;
        double magnitude = 0;
        for (std::size_t t = 0; t < rows; ++t) {
          const float* query = &layer[(h * rows + t) * 2 * pairs];
          const std::complex<double> pair(query[f], query[f + pairs]);
          sum += pair * back[t * pairs + f];
          magnitude += std::abs(pair);
        }
        mean.real.push_back(static_cast<float>(sum.real() / static_cast<double>(rows)));
        mean.imaginary.push_back(static_cast<float>(sum.imag() / static_cast<double>(rows)));
        mean.magnitude.push_back(static_cast<float>(magnitude / static_cast<double>(rows)));
      }
  }
  return means;
}

Expected<Observation> observe(Transformer& model, const KvCache& original, std::span<const std::int32_t> tokens,
                              const ObservationNeeds& needs, const ObserveTexts& texts, int chunk_tokens,
                              const std::function<bool()>& stop) {
  Observation observed;
  observed.frequencies.assign(model.rope().begin(), model.rope().end());
  const int count = static_cast<int>(tokens.size());
  if (needs.window_queries > 0) {
    KV_ASSIGN(auto queries,
              queries_of(model, original.pool(), tokens, std::min(needs.window_queries, count), chunk_tokens, stop));
    observed.queries = std::move(queries);
  }
  if (needs.repeat_pass)
    for (int first = 0; first < count; first = observed.repeat.back().last) {
      KV_ASSIGN(auto chunk, repeat(model, original, tokens, first, texts, chunk_tokens, stop));
      observed.repeat.push_back(std::move(chunk));
    }
  if (needs.calibration) {
    KV_ASSIGN(auto queries, queries_of(model, original.pool(), texts.calibration,
                                       static_cast<int>(texts.calibration.size()), chunk_tokens, stop));
    observed.calibration = query_means(queries, observed.frequencies, 0);
  }
  return observed;
}

}  // namespace kvantage::inline compression
