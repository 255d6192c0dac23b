#include "core/compress/observe.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>
#include <string>

#include "core/base/units.h"
#include "core/compress/layer_forms.h"
#include "core/kv/head_rows.h"
#include "core/model/memory.h"
#include "core/model/output_norms.h"
#include "core/model/recompute.h"
#include "core/model/rope.h"

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

/// Keeps the layer inputs of one prefill as fp32.
class HiddenStatesSink final : public LayerInputSink {
 public:
  HiddenStatesSink(const Transformer& model, std::size_t tokens)
      : type_(model.compute() == ComputeType::bf16 ? KvType::bf16 : KvType::fp32) {
    states_.hidden = model.config().hidden;
    states_.layers.assign(static_cast<std::size_t>(model.config().layers),
                          std::vector<float>(tokens * static_cast<std::size_t>(states_.hidden)));
  }
  void take(int layer, std::int32_t first_position, int tokens, std::span<const std::byte> rows) override {
    const auto width = static_cast<std::size_t>(states_.hidden), count = static_cast<std::size_t>(tokens) * width;
    float* target =
        states_.layers[static_cast<std::size_t>(layer)].data() + static_cast<std::size_t>(first_position) * width;
    for (std::size_t i = 0; i < count; ++i) target[i] = element_of(rows.data(), type_, i);
  }
  HiddenStates take_states() { return std::move(states_); }

 private:
  KvType type_;
  HiddenStates states_;
};

/// Euclidean norms of the layer inputs of one prefill that begins at `first`.
class HiddenNormsSink final : public LayerInputSink {
 public:
  HiddenNormsSink(const Transformer& model, std::int32_t first, int rows)
      : type_(model.compute() == ComputeType::bf16 ? KvType::bf16 : KvType::fp32),
        width_(static_cast<std::size_t>(model.config().hidden)),
        first_(first),
        norms_(static_cast<std::size_t>(model.config().layers), std::vector<float>(static_cast<std::size_t>(rows))) {}
  void take(int layer, std::int32_t first_position, int tokens, std::span<const std::byte> rows) override {
    std::vector<float>& norms = norms_[static_cast<std::size_t>(layer)];
    const auto count = static_cast<std::size_t>(tokens), begin = static_cast<std::size_t>(first_position - first_);
    for (std::size_t t = 0; t < count; ++t) {
      double squares = 0;
      for (std::size_t i = 0; i < width_; ++i) {
        const auto number = static_cast<double>(element_of(rows.data(), type_, t * width_ + i));
        squares += number * number;
      }
      norms[begin + t] = static_cast<float>(std::sqrt(squares));
    }
  }
  std::vector<std::vector<float>> take_norms() { return std::move(norms_); }

 private:
  KvType type_;
  std::size_t width_;
  std::int32_t first_;
  std::vector<std::vector<float>> norms_;
};

Status check_hidden_states(const Transformer& model, std::size_t tokens) {
  if (model.device() != nullptr)
    return fail(ErrorCode::rejected_input,
                "hidden states: a GPU computes the model, and only the CPU reports them; choose another method");
  const std::uint64_t bytes = static_cast<std::uint64_t>(model.config().layers) * tokens *
                              static_cast<std::uint64_t>(model.config().hidden) * sizeof(float);
  if (const std::uint64_t left = available_memory_bytes(); bytes > left)
    return fail(ErrorCode::rejected_input, "hidden states of " + std::to_string(tokens) + " tokens take " +
                                               format_bytes(bytes) + " and " + format_bytes(left) +
                                               " of memory are left; use a shorter context or another method");
  return {};
}

/// One prefill of the context: its last `window` queries and, where wanted, its hidden states.
Status observe_prefill(Transformer& model, BlockPool& pool, std::span<const std::int32_t> tokens, int window,
                       bool hidden_states, int chunk_tokens, const std::function<bool()>& stop, Observation& observed) {
  KvCache cache(pool);
  PrefillTask task(model, cache, {tokens.begin(), tokens.end()}, 0,
                   {.chunk_tokens = chunk_tokens, .window_queries = window, .logits = PrefillLogits::none});
  if (hidden_states) {
    KV_TRY(check_hidden_states(model, tokens.size()));
    HiddenStatesSink sink(model, tokens.size());
    const CaptureLayerInputs capture(model, sink);
    KV_TRY(run(task, stop));
    observed.hidden_states = sink.take_states();
  } else {
    KV_TRY(run(task, stop));
  }
  if (window > 0) observed.queries = task.take_window_queries();
  return {};
}

Expected<WindowQueries> queries_of(Transformer& model, BlockPool& pool, std::span<const std::int32_t> tokens,
                                   int window, int chunk_tokens, const std::function<bool()>& stop) {
  Observation observed;
  KV_TRY(observe_prefill(model, pool, tokens, window, false, chunk_tokens, stop, observed));
  return std::move(observed.queries);
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
  if (model.device() == nullptr) {
    HiddenNormsSink sink(model, original.sequence_length(), chunk.rows);
    const CaptureLayerInputs capture(model, sink);
    KV_TRY(run(task, stop));
    chunk.hidden_norms = sink.take_norms();
  } else {
    KV_TRY(run(task, stop));
  }
  chunk.queries = task.take_window_queries().layers;
  for (int l = 0; l < cache.shape().layers; ++l) chunk.keys.push_back(last_keys(cache, l, chunk.rows));
  return chunk;
}

/// Norms of every value of the context, projected by its layer's output matrix. None of layers that no method scores,
/// whose window the text has passed: they may hold fewer tokens.
Expected<OutputNorms> norms_of_values(const Transformer& model, const KvCache& original,
                                      const std::function<bool()>& stop) {
  const KvShape& shape = original.shape();
  const auto is_scored = [&](int layer) {
    const int window = model.config().window(layer);
    return window == 0 || original.sequence_length() <= window;
  };
  int first = 0;
  while (first + 1 < shape.layers && !is_scored(first)) ++first;
  const int tokens = original.kept(first, 0);
  const auto numbers = static_cast<std::size_t>(tokens) * static_cast<std::size_t>(shape.head_dim);
  std::vector<std::byte> rows(numbers * bytes_of(shape.type));
  std::vector<float> values(static_cast<std::size_t>(shape.kv_heads) * numbers);
  OutputNorms norms;
  norms.layers.reserve(static_cast<std::size_t>(shape.layers));
  for (int l = 0; l < shape.layers; ++l) {
    if (stop && stop()) return fail(ErrorCode::cancelled, "observing the context was stopped");
    OutputNorms::Layer& layer = norms.layers.emplace_back();
    if (!is_scored(l)) continue;
    for (int h = 0; h < shape.kv_heads; ++h) {
      if (original.kept(l, h) != tokens)
        return fail(ErrorCode::rejected_input,
                    "norms of projected values: the heads of this cache hold different "
                    "numbers of tokens; observe the uncompressed context");
      original.gather_head(l, h, nullptr, rows.data(), nullptr);
      for (std::size_t i = 0; i < numbers; ++i)
        values[static_cast<std::size_t>(h) * numbers + i] = element_of(rows.data(), shape.type, i);
    }
    const auto size = static_cast<std::size_t>(model.config().heads) * static_cast<std::size_t>(tokens);
    layer.absolute.resize(size);
    layer.euclidean.resize(size);
    KV_TRY(output_norms(model, l, values, tokens, layer.absolute, layer.euclidean));
  }
  return norms;
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
  observed.forms = layer_forms_of(model.config());
  if (needs.calibration && observed.frequencies.empty())
    return fail(ErrorCode::rejected_input,
                "calibration: layers of this model rotate by different angles; choose a method without calibration");
  const int count = static_cast<int>(tokens.size());
  if (needs.window_queries > 0 || needs.hidden_states)
    KV_TRY(observe_prefill(model, original.pool(), tokens, std::min(needs.window_queries, count), needs.hidden_states,
                           chunk_tokens, stop, observed));
  if (needs.output_norms) {
    KV_ASSIGN(observed.output_norms, norms_of_values(model, original, stop));
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
