#include "core/kvpr/resident_rows.h"

#include "core/kvpr/layer_rows.h"

namespace kvantage::inline kvpr {

ResidentRows ResidentRows::of_inputs(const Transformer& model, const LayerInputs& inputs, int tokens) {
  ResidentRows resident(tokens, layer_input_bytes(model));
  for (int layer = 0; layer < model.config().layers; ++layer) {
    const std::span<const std::byte> rows = inputs.rows(layer, 0, tokens);
    resident.rows_.emplace_back(rows.begin(), rows.end());
  }
  return resident;
}

ResidentRows ResidentRows::of_keys_values(const KvCache& cache, int tokens) {
  const KvShape& shape = cache.shape();
  ResidentRows resident(tokens, layer_row_bytes(shape) / 2);
  const std::size_t bytes = resident.row_bytes_ * static_cast<std::size_t>(tokens);
  for (int layer = 0; layer < shape.layers; ++layer) {
    resident.rows_.emplace_back(bytes);
    resident.values_.emplace_back(bytes);
    copy_rows(cache, layer, 0, tokens, resident.rows_.back().data(), resident.values_.back().data());
  }
  return resident;
}

Expected<RowCodec::Rows> ResidentRows::keys_values(int layer, std::int32_t first, int count,
                                                   KvRecompute& recompute) const {
  if (!are_inputs()) return RowCodec::Rows{rows(rows_, layer, first, count), rows(values_, layer, first, count)};
  KV_TRY(recompute.run(layer, rows(rows_, layer, first, count), first, count));
  return RowCodec::Rows{recompute.keys(), recompute.values()};
}

std::uint64_t ResidentRows::bytes() const {
  return static_cast<std::uint64_t>(rows_.size() + values_.size()) * row_bytes_ * static_cast<std::uint64_t>(tokens_);
}

std::span<const std::byte> ResidentRows::rows(const Layers& layers, int layer, int first, int count) const {
  return std::span(layers[static_cast<std::size_t>(layer)])
      .subspan(static_cast<std::size_t>(first) * row_bytes_, static_cast<std::size_t>(count) * row_bytes_);
}

}  // namespace kvantage::inline kvpr
