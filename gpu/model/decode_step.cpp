#include "gpu/model/decode_step.h"

#include <cmath>

#include "gpu/kernels/attend_paged.h"
#include "gpu/model/layer_pass.h"

namespace kvantage::gpu {
namespace {

DecodeAttention attention_of(const ModelConfig& config) {
  return {nullptr, config.group(), 1.0F / std::sqrt(static_cast<float>(config.head_dim))};
}

std::vector<std::uint64_t> revisions(std::span<DeviceCache* const> caches) {
  std::vector<std::uint64_t> all;
  for (const DeviceCache* cache : caches) all.push_back(cache->revision());
  return all;
}

}  // namespace

Expected<DecodeStep> DecodeStep::make(const DeviceWeights& weights, const CacheArena& arena, int sequences,
                                      int longest) {
  DecodeStep step(weights, CacheTables(arena, sequences, longest));
  const auto numbers = at::TensorOptions(at::kInt).device(weights.device);
  step.tokens_ = at::zeros({sequences}, numbers);
  step.positions_ = at::zeros({sequences}, numbers);
  step.logits_ = at::zeros({sequences, weights.config.vocab_size}, numbers.dtype(at::kFloat));
  const std::size_t scratch = attend_scratch_bytes(step.tables_.layer(0), attention_of(weights.config), longest);
  step.scratch_ = at::zeros({static_cast<std::int64_t>(scratch)}, numbers.dtype(at::kByte));
  return step;
}

void DecodeStep::bind(std::span<DeviceCache* const> caches, std::span<const std::int32_t> tokens) {
  tokens_.copy_(at::from_blob(const_cast<std::int32_t*>(tokens.data()), {static_cast<std::int64_t>(tokens.size())},
                              at::TensorOptions(at::kInt)));
  if (bound_ == revisions(caches)) return;
  std::vector<std::int32_t> positions;
  for (const DeviceCache* cache : caches) positions.push_back(cache->sequence_length());
  positions_.copy_(
      at::from_blob(positions.data(), {static_cast<std::int64_t>(positions.size())}, at::TensorOptions(at::kInt)));
  tables_.fill(std::vector<const DeviceCache*>(caches.begin(), caches.end()), 0);
  bound_ = revisions(caches);
}

Status DecodeStep::run(Stream stream) {
  const ModelConfig& config = weights_->config;
  tables_.advance(1);
  LayerPass pass(*weights_, tables_, true, stream);
  KV_TRY(pass.begin(tokens_, positions_, 1));
  DecodeAttention job = attention_of(config);
  for (int layer = 0; layer < config.layers; ++layer) {
    KV_ASSIGN(const auto queries, pass.write_heads(layer));
    const at::Tensor attended = at::empty_like(queries);
    job.queries = static_cast<const std::uint16_t*>(queries.const_data_ptr());
    KV_TRY(launch_attend_paged(tables_.layer(layer), job, tables_.longest(), scratch_.mutable_data_ptr(),
                               static_cast<std::uint16_t*>(attended.mutable_data_ptr()), stream));
    KV_TRY(pass.finish(layer, attended));
  }
  logits_.copy_(pass.logits());
  tokens_.copy_(logits_.argmax(1));
  positions_.add_(1);
  return {};
}

void DecodeStep::advanced(std::span<DeviceCache* const> caches, int steps) {
  for (DeviceCache* cache : caches) cache->advance(steps);
  bound_ = revisions(caches);
}

}  // namespace kvantage::gpu
