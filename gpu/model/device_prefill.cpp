#include "gpu/model/device_prefill.h"

#include <vector>

#include "gpu/model/attend_rows.h"
#include "gpu/model/layer_pass.h"

namespace kvantage::gpu {
namespace {

struct Chunk {
  at::Tensor tokens, positions;  // int32 [count]
  int count = 0;
  int logit_rows = 0;  // of the last tokens
};

/// Through all layers; undefined where no logits are wanted.
Expected<at::Tensor> run_chunk(const DeviceWeights& weights, const DeviceStreams& streams, const DeviceCache& cache, const CacheTables& tables, const Chunk& chunk) {
  LayerPass pass(weights, tables, false, streams.compute_handle());
  KV_TRY(pass.begin(chunk.tokens, chunk.positions, chunk.count));
  for (int layer = 0; layer < weights.config.layers; ++layer) {
    const bool top = layer + 1 == weights.config.layers;
    cache.copied[static_cast<std::size_t>(layer)].compute_waits(streams);
    auto queries = pass.write_heads(layer);
    if (!queries) return queries;
    if (top && chunk.logit_rows == 0) return at::Tensor();
    if (top) {
      pass.keep_last(chunk.logit_rows);
      queries = queries->narrow(0, chunk.count - chunk.logit_rows, chunk.logit_rows);
    }
    KV_TRY(pass.finish(layer, attend_rows(cache, tables, layer, *queries, chunk.count, weights.config.heads)));
  }
  return pass.logits();
}

}  // namespace

Status check_tokens(const ModelConfig& config, std::span<const std::int32_t> tokens, std::int64_t first, std::int64_t count) {
  if (tokens.empty()) return fail(ErrorCode::rejected_input, "no tokens to compute; give at least one");
  for (const std::int32_t token : tokens)
    if (token < 0 || token >= config.vocab_size)
      return fail(ErrorCode::rejected_input, "token id " + std::to_string(token) + " is outside the model's vocabulary of " + std::to_string(config.vocab_size) +
                                                 "; use the model's own tokenizer");
  if (first + count > config.max_positions)
    return fail(ErrorCode::rejected_input, "position " + std::to_string(first + count - 1) + " is beyond the model's " + std::to_string(config.max_positions) +
                                               " positions; shorten the context");
  return {};
}

Expected<at::Tensor> device_prefill(const DeviceWeights& weights, const DeviceStreams& streams, DeviceCache& cache, std::span<const std::int32_t> tokens, int chunk_tokens,
                                    PrefillLogits logits) {
  const int total = static_cast<int>(tokens.size());
  KV_TRY(check_tokens(weights.config, tokens, cache.sequence_length(), total));
  KV_TRY(cache.reserve(total));
  const auto numbers = at::TensorOptions(at::kInt);
  const at::Tensor ids = at::from_blob(const_cast<std::int32_t*>(tokens.data()), {total}, numbers).to(streams.device(), at::kInt, false, true);
  const at::Tensor positions = at::arange(cache.sequence_length(), cache.sequence_length() + total, numbers.device(streams.device()));
  CacheTables tables(cache.arena(), 1, cache.longest() + total);
  std::vector<at::Tensor> parts;
  int done = 0;
  Status status = device_guarded([&]() -> Status {
    while (done < total) {
      Chunk chunk;
      chunk.count = std::min(chunk_tokens, total - done);
      chunk.tokens = ids.narrow(0, done, chunk.count);
      chunk.positions = positions.narrow(0, done, chunk.count);
      chunk.logit_rows = logits == PrefillLogits::all ? chunk.count : logits == PrefillLogits::last && done + chunk.count == total ? 1 : 0;
      tables.fill(std::vector<const DeviceCache*>{&cache}, chunk.count);
      auto part = run_chunk(weights, streams, cache, tables, chunk);
      if (!part) return tl::unexpected(std::move(part).error());
      if (part->defined()) parts.push_back(std::move(*part));
      cache.advance(chunk.count);
      done += chunk.count;
    }
    return {};
  });
  if (!status) {
    cache.take_back(done);
    return tl::unexpected(std::move(status).error());
  }
  if (parts.empty()) return at::Tensor();
  return parts.size() == 1 ? parts.front() : at::cat(parts, 0);
}

}  // namespace kvantage::gpu
