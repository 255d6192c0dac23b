#include "core/kvpr/stored_inputs.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace kvantage::inline kvpr {

Status InputsReader::append(const EntryHeader& header, int layer, const InputsLayer& rows, KvCache& cache) {
  const int chunk = std::max(header.identity.prefill_chunk_tokens, 1);
  if (recompute_ == nullptr) recompute_ = std::make_unique<KvRecompute>(model_, chunk);
  std::vector<std::int32_t> positions(header.token_ids.size());
  std::iota(positions.begin(), positions.end(), 0);
  const auto at = [&](int first, int count) {
    return std::span(positions).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  };
  for (int first = 0; first < rows.input_tokens; first += chunk) {
    const int count = std::min(chunk, rows.input_tokens - first);
    KV_TRY(recompute_->run(layer,
                           rows.inputs.subspan(static_cast<std::size_t>(first) * rows.input_row_bytes,
                                               static_cast<std::size_t>(count) * rows.input_row_bytes),
                           first, count));
    KV_TRY(cache.append(layer, recompute_->keys(), recompute_->values(), at(first, count)));
  }
  const int rest = static_cast<int>(positions.size()) - rows.input_tokens;
  const std::size_t bytes = static_cast<std::size_t>(rest) * header.shape.bytes_per_row();
  for (int h = 0; rest > 0 && h < header.shape.kv_heads; ++h) {
    const std::size_t begin = static_cast<std::size_t>(h) * bytes;
    KV_TRY(cache.append_head(layer, h, rows.keys.subspan(begin, bytes), rows.values.subspan(begin, bytes),
                             at(rows.input_tokens, rest)));
  }
  return {};
}

Status InputsReader::restore(const EntryHeader& header, int layer, std::span<const std::byte> bytes, bool verify,
                             KvCache& cache) {
  if (cache.shape() != header.shape) return fail(ErrorCode::rejected_input, "cache entry: its model has another shape");
  KV_ASSIGN(const InputsLayer rows, read_inputs_layer(header, layer, bytes, verify));
  if (rows.input_tokens > 0 && rows.input_row_bytes != layer_input_bytes(model_))
    return fail(ErrorCode::corrupt, "cache entry: layer " + std::to_string(layer) + ": inputs of " +
                                        std::to_string(rows.input_row_bytes) +
                                        " bytes are not this model's; the entry is dropped and recomputed");
  const double begun = clock_.seconds();
  std::vector<int> before;
  for (int h = 0; h < header.shape.kv_heads; ++h) before.push_back(cache.kept(layer, h));
  const std::int32_t length_before = cache.sequence_length();
  if (Status appended = append(header, layer, rows, cache); !appended) {
    for (int h = 0; h < header.shape.kv_heads; ++h) cache.truncate_head(layer, h, before[static_cast<std::size_t>(h)]);
    cache.set_sequence_length(length_before);
    return appended;
  }
  cache.set_sequence_length(std::max(length_before, static_cast<std::int32_t>(header.token_ids.size())));
  ++done_.layers;
  done_.tokens = rows.input_tokens;
  done_.seconds += clock_.seconds() - begun;
  return {};
}

Expected<std::shared_ptr<const LayerInputs>> record_layer_inputs(Transformer& model, BlockPool& pool,
                                                                 std::span<const std::int32_t> tokens, int chunk_tokens,
                                                                 const std::function<bool()>& stop) {
  if (model.device() != nullptr)
    return fail(ErrorCode::usage,
                "layer_inputs: a GPU computes the model, and only the CPU records layer inputs; choose another method");
  auto inputs = std::make_shared<LayerInputs>(model, static_cast<int>(tokens.size()));
  if (tokens.empty()) return inputs;  // of a context whose share is below a chunk
  KvCache cache(pool);
  PrefillTask prefill(model, cache, {tokens.begin(), tokens.end()}, 0,
                      {.chunk_tokens = chunk_tokens, .window_queries = 0, .logits = PrefillLogits::none});
  const CaptureLayerInputs capture(model, *inputs);
  while (!prefill.done()) {
    if (stop && stop()) return fail(ErrorCode::cancelled, "layer_inputs: recording was stopped");
    KV_TRY(prefill.step());
  }
  return inputs;
}

Expected<double> restore_seconds(Transformer& model, BlockPool& pool, const EntryHeader& header,
                                 std::span<const std::byte> entry, const Clock& clock) {
  double least = 0;
  for (int repeat = 0; repeat < 3; ++repeat) {  // the first warms up
    KvCache cache(pool);
    InputsReader reader(model, clock);
    const double begun = clock.seconds();
    for (int layer = 0; layer < header.shape.layers; ++layer) {
      const auto [first, end] = header.layer_range(layer);
      KV_TRY(reader.restore(header, layer, entry.subspan(first, end - first), false, cache));
    }
    const double seconds = clock.seconds() - begun;
    if (repeat == 1 || (repeat > 1 && seconds < least)) least = seconds;
  }
  return least;
}

}  // namespace kvantage::inline kvpr
