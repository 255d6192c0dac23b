#include "core/model/generate.h"

#include <algorithm>

#include "core/model/batch_decode.h"

namespace kvantage::inline model {
namespace {

constexpr std::int32_t no_token = -1;  // passed to the callback between layers

/// Runs a task layer by layer; false when the callback canceled.
template <class Task>
Expected<bool> generate_watched(Task& task, const TokenCallback& on_token) {
  while (!task.done()) {
    KV_TRY(task.step());
    if (on_token && !task.done() && !on_token(no_token)) return false;
  }
  return true;
}

/// The token at the cache's next position; false when the callback canceled.
Expected<bool> decode_watched(Transformer& model, KvCache& cache, std::int32_t token, DecodeHooks* hooks,
                              const TokenCallback& on_token, std::span<float> logits) {
  const std::int32_t position = cache.sequence_length();
  if (hooks != nullptr || model.device() == nullptr) {
    DecodeTask decode(model, cache, token, position, hooks);
    const auto finished = generate_watched(decode, on_token);
    if (finished && *finished) std::ranges::copy(decode.logits(), logits.begin());
    return finished;
  }
  BatchDecodeTask decode(model, {{&cache, token, position}});
  const auto finished = generate_watched(decode, on_token);
  if (finished && *finished) std::ranges::copy(decode.logits(0), logits.begin());
  return finished;
}

}  // namespace

const char* to_string(FinishReason reason) {
  switch (reason) {
    case FinishReason::stop:
      return "stop";
    case FinishReason::length:
      return "length";
    case FinishReason::cancelled:
      return "cancelled";
  }
  return "unknown";
}

Expected<Generation> generate(Transformer& model, KvCache& cache, std::span<const std::int32_t> prompt,
                              const GenerateOptions& options, const TokenCallback& on_token) {
  KV_TRY(check_sampling(options.sampling));
  const std::int32_t start = cache.sequence_length();
  const auto undo = [&](Error error) {
    cache.truncate(start);
    return tl::unexpected(std::move(error));
  };
  PrefillTask prefill(model, cache, {prompt.begin(), prompt.end()}, start,
                      {.chunk_tokens = options.chunk_tokens, .window_queries = 0, .logits = PrefillLogits::last});
  auto finished = generate_watched(prefill, on_token);
  if (!finished) return undo(std::move(finished).error());
  if (!*finished) {
    cache.truncate(start + prefill.next_chunk() * options.chunk_tokens);
    return Generation{{}, FinishReason::cancelled};
  }

  auto answer = decode_from(model, cache, {prefill.logits().begin(), prefill.logits().end()}, options, on_token);
  if (!answer) return undo(std::move(answer).error());
  return answer;
}

Expected<Generation> decode_from(Transformer& model, KvCache& cache, std::vector<float> logits,
                                 const GenerateOptions& options, const TokenCallback& on_token) {
  KV_TRY(check_sampling(options.sampling));
  Generation result;
  Sampler sampler(options.sampling);
  while (static_cast<int>(result.tokens.size()) < options.max_tokens) {
    KV_TRY(check_logits(logits));
    const std::int32_t token = sampler.next(logits);
    if (std::ranges::find(options.stop_tokens, token) != options.stop_tokens.end()) {
      result.reason = FinishReason::stop;
      return result;
    }
    result.tokens.push_back(token);
    if (on_token && !on_token(token)) {
      result.reason = FinishReason::cancelled;
      return result;
    }
    const std::int32_t position = cache.sequence_length();
    if (static_cast<int>(result.tokens.size()) == options.max_tokens || position >= model.config().max_positions) break;
    KV_ASSIGN(const auto finished, decode_watched(model, cache, token, options.hooks, on_token, logits));
    if (!finished) {
      cache.truncate(position);
      result.reason = FinishReason::cancelled;
      return result;
    }
  }
  return result;
}

}  // namespace kvantage::inline model
