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

KvRows HeadRows::rows(const KvCache& cache, int layer, int kv_head, Element element) {
  const HeadView view = cache.head(layer, kv_head);
  const int block_tokens = view.pool->block_tokens(),
            encoded = cache.encoded() == nullptr ? 0 : cache.encoded()->rows(layer, kv_head);
  const int encoded_blocks = (encoded + block_tokens - 1) / block_tokens;
  keys.assign(static_cast<std::size_t>(encoded_blocks), nullptr);
  values.assign(keys.size(), nullptr);
  for (const BlockId block : view.blocks) {
    keys.push_back(view.pool->keys(block));
    values.push_back(view.pool->values(block));
  }
  if (encoded == 0)
    return {keys.data(), values.data(), block_tokens,
            view.kept,   element,       view.row_slots.empty() ? nullptr : view.row_slots.data()};
  slots_.resize(static_cast<std::size_t>(encoded + view.kept));
  for (int row = 0; row < encoded; ++row) slots_[static_cast<std::size_t>(row)] = row;
  for (int row = 0; row < view.kept; ++row)
    slots_[static_cast<std::size_t>(encoded + row)] =
        encoded_blocks * block_tokens + view.slot(static_cast<std::size_t>(row));
  return {keys.data(), values.data(), block_tokens, encoded + view.kept, element, slots_.data()};
}

int first_row_from(const HeadView& head, std::int32_t position) {
  const auto position_of = [&](int row) {
    const std::int32_t slot = head.slot(static_cast<std::size_t>(row)), size = head.pool->block_tokens();
    return head.pool->positions(head.blocks[static_cast<std::size_t>(slot / size)])[slot % size];
  };
  int low = 0, high = head.kept;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (position_of(middle) < position)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

KvRows HeadRows::from(const KvCache& cache, int layer, int kv_head, KvRows rows, std::int32_t position) {
  const HeadView view = cache.head(layer, kv_head);
  const int skipped = first_row_from(view, position);
  if (skipped == 0) return rows;
  slots_.resize(static_cast<std::size_t>(view.kept - skipped));
  for (std::size_t row = 0; row < slots_.size(); ++row)
    slots_[row] = view.slot(row + static_cast<std::size_t>(skipped));
  rows.kept = view.kept - skipped;
  rows.row_slots = slots_.data();
  return rows;
}

KvRows HeadRows::decode(const KvCache& cache, int layer, int kv_head, KvRows rows, int first, int last) {
  if (cache.encoded() == nullptr) return rows;
  const int encoded = cache.encoded()->rows(layer, kv_head), end = std::min(last, encoded);
  if (first >= end) return rows;
  const KvShape& shape = cache.shape();
  const std::size_t row_bytes = static_cast<std::size_t>(shape.head_dim) * bytes_of(shape.type),
                    block_tokens = static_cast<std::size_t>(rows.block_tokens);
  decoded_keys_.resize(static_cast<std::size_t>(end - first) * row_bytes);
  decoded_values_.resize(decoded_keys_.size());
  cache.encoded()->decode(layer, kv_head, first, end - first, decoded_keys_.data(), decoded_values_.data());
  const std::size_t all = static_cast<std::size_t>((encoded + rows.block_tokens - 1) / rows.block_tokens) +
                          cache.head(layer, kv_head).blocks.size();
  keys.assign(rows.keys, rows.keys + all);
  values.assign(rows.values, rows.values + all);
  for (int row = first; row < end; row += rows.block_tokens) {
    const std::size_t block = static_cast<std::size_t>(row) / block_tokens,
                      at = static_cast<std::size_t>(row - first) * row_bytes;
    keys[block] = &decoded_keys_[at];
    values[block] = &decoded_values_[at];
  }
  rows.keys = keys.data();
  rows.values = values.data();
  return rows;
}

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

}  // namespace kvantage::inline model
