#include "core/kvpr/offloaded_prompt.h"

#include <algorithm>
#include <cstring>

#include "core/kv/serial_layout.h"
#include "core/kvpr/layer_rows.h"

namespace kvantage::inline kvpr {

std::span<std::byte> add_block(std::vector<std::byte>& bytes, std::size_t count, ReadExtent& extent) {
  extent.offset = bytes.size();
  extent.bytes = serial::padded(count);
  bytes.resize(bytes.size() + extent.bytes);
  return std::span(bytes).subspan(extent.offset, count);
}

void seal(const std::vector<std::byte>& bytes, ReadExtent& extent) {
  if (extent.bytes > 0)
    extent.pieces = {{extent.offset, extent.bytes, checksum_of(std::span(bytes).subspan(extent.offset, extent.bytes))}};
}

LayerInputs::LayerInputs(const Transformer& model, int tokens)
    : row_bytes_(layer_input_bytes(model)),
      tokens_(tokens),
      layers_(static_cast<std::size_t>(model.config().layers),
              std::vector<std::byte>(row_bytes_ * static_cast<std::size_t>(tokens))) {}

void LayerInputs::take(int layer, std::int32_t first_position, int /*tokens*/, std::span<const std::byte> rows) {
  auto& target = layers_[static_cast<std::size_t>(layer)];
  const std::size_t at = static_cast<std::size_t>(first_position) * row_bytes_;
  if (at + rows.size() <= target.size()) std::memcpy(&target[at], rows.data(), rows.size());
}

std::span<const std::byte> LayerInputs::rows(int layer, int first, int count) const {
  return std::span(layers_[static_cast<std::size_t>(layer)])
      .subspan(static_cast<std::size_t>(first) * row_bytes_, static_cast<std::size_t>(count) * row_bytes_);
}

Expected<PackedLayer> pack_rows(int layer, const RunRows& rows, std::int32_t first, int tokens, const RowCodec& codec,
                                const Digest128& key) {
  PackedLayer packed{{key, {{first, tokens, {}, {}, rows.inputs.size(), codec.bytes(tokens), false}}},
                     std::make_shared<std::vector<std::byte>>()};
  OffloadedBlock& block = packed.layer.blocks.front();
  if (!rows.inputs.empty())
    std::ranges::copy(rows.inputs, add_block(*packed.bytes, block.input_bytes, block.inputs).begin());
  KV_TRY(
      codec.encode(layer, rows.keys, rows.values, tokens, add_block(*packed.bytes, block.kv_bytes, block.keys_values)));
  seal(*packed.bytes, block.inputs);
  seal(*packed.bytes, block.keys_values);
  return packed;
}

Expected<PackedLayer> pack_layer(const KvCache& cache, int layer, int tokens, int block_tokens,
                                 const LayerInputs& inputs, const Transformer& model, const RowCodec& codec,
                                 const Digest128& key) {
  PackedLayer packed{{key, {}}, std::make_shared<std::vector<std::byte>>()};
  std::vector<std::byte>& bytes = *packed.bytes;
  for (int at = 0; at < tokens; at += block_tokens) {
    const int count = std::min(block_tokens, tokens - at);
    packed.layer.blocks.push_back(
        {at, count, {}, {}, static_cast<std::size_t>(count) * layer_input_bytes(model), codec.bytes(count), false});
  }
  for (OffloadedBlock& block : packed.layer.blocks)
    std::ranges::copy(inputs.rows(layer, block.first, block.tokens),
                      add_block(bytes, block.input_bytes, block.inputs).begin());
  std::vector<std::byte> keys, values;
  for (OffloadedBlock& block : packed.layer.blocks) {
    keys.resize(static_cast<std::size_t>(block.tokens) * layer_row_bytes(cache.shape()) / 2);
    values.resize(keys.size());
    copy_rows(cache, layer, block.first, block.tokens, keys.data(), values.data());
    KV_TRY(codec.encode(layer, keys, values, block.tokens, add_block(bytes, block.kv_bytes, block.keys_values)));
  }
  for (OffloadedBlock& block : packed.layer.blocks) {
    seal(bytes, block.inputs);
    seal(bytes, block.keys_values);
  }
  return packed;
}

Status write_and_wait(StorageTier& tier, const PackedLayer& packed) {
  CompletionQueue done(tier.clock());
  tier.submit_write(
      {.key = packed.layer.key, .bytes = packed.bytes->size(), .header_bytes = 0, .label = "offloaded layer"},
      packed.bytes, done);
  for (;;)
    for (const Completion& completion : done.wait(1)) return completion.status;
}

Status OffloadedPrompt::add_layer(const Transformer& model, const KvCache& cache, const LayerInputs& inputs) {
  const int layer = layers();
  for (int h = 0; h < cache.shape().kv_heads; ++h)
    if (cache.kept(layer, h) != tokens_ || !cache.head(layer, h).row_slots.empty())
      return fail(ErrorCode::internal,
                  "offloaded prompt: the cache must hold every token of the prompt, without holes");
  const Digest128 key = DigestBuilder().add(name_).add(static_cast<std::uint64_t>(layer)).finish();
  KV_ASSIGN(auto packed, pack_layer(cache, layer, tokens_, chunk_tokens_, inputs, model, codec_, key));
  layers_.push_back(packed.layer);
  const std::uint64_t bytes = packed.bytes->size();
  bytes_ += bytes;
  writes_.push_back(tier_.submit_write({.key = key, .bytes = bytes, .header_bytes = 0, .label = "offloaded layer"},
                                       std::move(packed.bytes), done_));
  return {};
}

Status OffloadedPrompt::poll(double seconds) {
  Status status;
  if (writes_.empty()) return status;
  // All of them, also behind one that failed: the destructor waits for the rest.
  for (const Completion& completion : seconds > 0 ? done_.wait(seconds) : done_.poll()) {
    std::erase(writes_, completion.ticket);
    if (status) status = completion.status;
  }
  return status;
}

Expected<std::unique_ptr<OffloadedPrompt>> OffloadedPrompt::write(const Transformer& model, const KvCache& cache,
                                                                  const LayerInputs& inputs, int tokens,
                                                                  int chunk_tokens, const RowCodec& codec,
                                                                  StorageTier& tier, std::string_view name) {
  auto prompt = std::make_unique<OffloadedPrompt>(tier, tokens, chunk_tokens, codec, name);
  for (int layer = 0; layer < cache.shape().layers; ++layer) {
    KV_TRY(prompt->add_layer(model, cache, inputs));
    while (prompt->writes_left() > 0) KV_TRY(prompt->poll(1));
  }
  return prompt;
}

// Erasing ends writes in flight. The second time is for a write that had been committed before.
OffloadedPrompt::~OffloadedPrompt() {
  for (const OffloadedLayer& layer : layers_) (void)tier_.erase(layer.key);
  if (writes_.empty()) return;
  while (!writes_.empty())
    for (const Completion& completion : done_.wait(1)) std::erase(writes_, completion.ticket);
  for (const OffloadedLayer& layer : layers_) (void)tier_.erase(layer.key);
}

}  // namespace kvantage::inline kvpr
