#include "gpu/model/gpu_generate.h"

#include <algorithm>
#include <array>

namespace kvantage::gpu {

std::uint64_t cache_bytes_for(const ModelConfig& config, int block_tokens, std::size_t tokens) {
  const auto wide = [](int number) { return static_cast<std::uint64_t>(number); };
  const std::uint64_t blocks = (tokens + wide(block_tokens) - 1) / wide(block_tokens);
  const std::uint64_t block_bytes =
      wide(block_tokens) * (4 * wide(config.head_dim) + sizeof(std::int32_t)) + 3 * 64;  // planes are 64-byte aligned
  return wide(config.layers) * wide(config.kv_heads) * blocks * block_bytes;
}

Expected<Generation> gpu_generate(GpuModel& model, std::span<const std::int32_t> prompt, const GenerateOptions& options,
                                  const TokenCallback& on_token) {
  if (options.hooks != nullptr)
    return fail(ErrorCode::usage, "generation on a GPU: decode hooks are not supported; use the CPU");
  const bool greedy = options.sampling.temperature <= 0;
  const auto told = [&](std::int32_t token) { return !on_token || on_token(token); };
  KV_ASSIGN(auto sequence, model.new_sequence());
  KV_ASSIGN(auto logits, model.prefill(*sequence, prompt, PrefillLogits::last));
  Sampler sampler(options.sampling);
  const std::array<GpuSequence*, 1> batch{sequence.get()};
  Generation generation;
  KV_TRY(check_logits(logits));
  std::int32_t token = sampler.next(logits);
  while (static_cast<int>(generation.tokens.size()) < options.max_tokens) {
    if (std::ranges::find(options.stop_tokens, token) != options.stop_tokens.end()) {
      generation.reason = FinishReason::stop;
      return generation;
    }
    generation.tokens.push_back(token);
    if (!told(token) || !told(-1)) {
      generation.reason = FinishReason::cancelled;
      return generation;
    }
    if (static_cast<int>(generation.tokens.size()) == options.max_tokens) break;
    KV_ASSIGN(const auto next, model.decode(batch, std::array{token}, 1));
    token = next.front();
    if (greedy) continue;
    KV_ASSIGN(logits, model.decode_logits());
    KV_TRY(check_logits(logits));
    token = sampler.next(logits);
  }
  generation.reason = FinishReason::length;
  return generation;
}

}  // namespace kvantage::gpu
