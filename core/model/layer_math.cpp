#include "core/model/layer_math.h"

#include <algorithm>

namespace kvantage::inline model {
namespace {

/// A row as fp32, with the bias, or null.
void widen_row(const void* values, Element type, std::size_t first, const float* bias, std::vector<float>& row) {
  const auto* const wide = static_cast<const float*>(values);
  const auto* const narrow = static_cast<const Bf16*>(values);
  for (std::size_t i = 0; i < row.size(); ++i) {
    row[i] = type == Element::fp32 ? wide[first + i] : to_float(narrow[first + i]);
    if (bias != nullptr) row[i] += bias[i];
  }
}

}  // namespace

void add_outputs(const Transformer::Impl& model, float* residual, const void* outputs, Element type, const float* bias,
                 const std::vector<float>& output_norm, int rows) {
  const ModelConfig& config = model.config;
  const auto scale = static_cast<float>(config.form.scales.residual);
  if (output_norm.empty() && scale == 1.0F)
    return model.kernel().add(residual, outputs, bias, rows, config.hidden, type);
  std::vector<float> row(static_cast<std::size_t>(config.hidden));
  for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
    widen_row(outputs, type, r * row.size(), bias, row);
    if (!output_norm.empty())
      model.kernel().rms_norm(row.data(), output_norm.data(), config.hidden, config.rms_eps, row.data(), Element::fp32);
    float* const target = residual + r * row.size();
    for (std::size_t i = 0; i < row.size(); ++i) target[i] += row[i] * scale;
  }
}

void norm_whole_rows(const Transformer::Impl& model, void* values, Element type, const float* bias,
                     const std::vector<float>& weight, int rows) {
  std::vector<float> row(weight.size());
  for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
    const std::size_t first = r * row.size();
    widen_row(values, type, first, bias, row);
    void* const target = type == Element::fp32 ? static_cast<void*>(static_cast<float*>(values) + first)
                                               : static_cast<void*>(static_cast<Bf16*>(values) + first);
    model.kernel().rms_norm(row.data(), weight.data(), static_cast<int>(row.size()), model.config.rms_eps, target,
                            type);
  }
}

void store_by_head(const ModelConfig& config, std::span<const float> queries, int first, int kept, float* target) {
  const auto heads = static_cast<std::size_t>(config.heads), dim = static_cast<std::size_t>(config.head_dim);
  for (std::size_t t = 0; t < queries.size() / (heads * dim); ++t)
    for (std::size_t h = 0; h < heads; ++h)
      std::copy_n(&queries[(t * heads + h) * dim], dim,
                  &target[(h * static_cast<std::size_t>(kept) + static_cast<std::size_t>(first) + t) * dim]);
}

void activate_rows(const Transformer::Impl& model, void* values, std::size_t count, Element type) {
  model.kernel().activate(model.config.form.activation, values, count, type);
}

void gate_rows(const Transformer::Impl& model, void* gate, const void* up, std::size_t count, Element type) {
  model.kernel().gated(model.config.form.activation, gate, up, gate, count, type);
}

std::vector<std::vector<std::int32_t>> window_begins(const KvCache& cache, int layer, int window,
                                                     std::span<const std::int32_t> positions) {
  std::vector<std::vector<std::int32_t>> begins(window == 0 ? 0 : static_cast<std::size_t>(cache.shape().kv_heads));
  for (std::size_t h = 0; h < begins.size(); ++h) {
    const HeadView view = cache.head(layer, static_cast<int>(h));
    begins[h].reserve(positions.size());
    for (const std::int32_t position : positions) begins[h].push_back(first_row_from(view, position - window + 1));
  }
  return begins;
}

Status drop_past_window(KvCache& cache, int layer, const DroppedRows& rows) {
  if (rows.window == 0 || cache.encoded() != nullptr) return {};
  KeptIndices dropped(static_cast<std::size_t>(cache.shape().kv_heads)), kept(dropped.size());
  bool any = false;
  for (std::size_t h = 0; h < dropped.size(); ++h) {
    const HeadView view = cache.head(layer, static_cast<int>(h));
    const int begin = first_row_from(view, rows.first), end = first_row_from(view, rows.next - rows.window + 1);
    kept[h].reserve(static_cast<std::size_t>(view.kept));
    for (int row = 0; row < view.kept; ++row) (row >= begin && row < end ? dropped : kept)[h].push_back(row);
    any = any || begin < end || (rows.gather && !view.row_slots.empty());
  }
  if (!any) return {};
  if (!rows.gather || !cache.keep(layer, kept)) return cache.evict(layer, dropped);  // the latter needs no memory
  return {};
}

}  // namespace kvantage::inline model
