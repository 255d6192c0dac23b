// What tests of the engine's parts have done by others: a request that is served alone, a context that is stored.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/digest.h"
#include "core/model/batch_decode.h"
#include "core/model/transformer.h"
#include "core/request/request_task.h"
#include "core/runtime/observing.h"
#include "tests/support/engine_parts.h"
#include "tests/support/must.h"

namespace kvantage::test {

inline RequestInput input_of(EngineParts& parts, std::size_t context, std::size_t question,
                             int max_answer_tokens = 12) {
  const ContextDetails& details = parts.catalog->details(context);
  RequestInput input{.start = {},
                     .context_tokens = details.tokens,
                     .question_tokens = details.questions[question].tokens,
                     .max_answer_tokens = max_answer_tokens};
  input.start.asked.gold = details.questions[question].gold;
  return input;
}

inline void serve_to_end(EngineParts& parts, RequestTask& task) {
  while (!task.done()) {
    if (task.needs() == RequestTask::Need::bytes) {
      must(task.poll(0.001));
    } else if (task.needs() == RequestTask::Need::compute) {
      must(task.compute());
    } else {
      BatchDecodeTask decode(*parts.runtime->model, {task.decode().next_decode()});
      must(decode.run());
      task.decode().take_token(decode.logits(0));
    }
  }
}

/// A request that is served to its end; without a hit its context is computed.
inline std::unique_ptr<RequestTask> served(EngineParts& parts, std::size_t context, std::size_t question,
                                           std::optional<CacheHit> hit = std::nullopt, int max_answer_tokens = 12) {
  auto task = std::make_unique<RequestTask>(*parts.runtime, parts.lender, parts.serving_clock,
                                            input_of(parts, context, question, max_answer_tokens), std::move(hit), 0.0,
                                            [](const std::string&) {});
  serve_to_end(parts, *task);
  return task;
}

/// The uncompressed cache of a context, by a prefill of all of it, and the queries of its last tokens.
struct Prefilled {
  KvCache cache;
  WindowQueries queries;
};
inline Prefilled prefilled(ModelParts& parts, std::size_t context) {
  KvCache cache(*parts.runtime->pool);
  PrefillTask prefill(*parts.runtime->model, cache, parts.catalog->details(context).tokens, 0,
                      {.chunk_tokens = parts.runtime->chunk_tokens(),
                       .window_queries = parts.runtime->window_queries,
                       .logits = PrefillLogits::none});
  must(prefill.run());
  return {std::move(cache), prefill.take_window_queries()};
}

/// Of all rows and their positions.
inline Digest128 digest_of(const KvCache& cache) {
  DigestBuilder digest;
  const KvShape& shape = cache.shape();
  for (int layer = 0; layer < shape.layers; ++layer)
    for (int head = 0; head < shape.kv_heads; ++head) {
      const auto kept = static_cast<std::size_t>(cache.kept(layer, head));
      std::vector<std::byte> keys(kept * shape.bytes_per_head_token() / 2), values(keys.size());
      std::vector<std::int32_t> positions(kept);
      cache.gather_head(layer, head, keys.data(), values.data(), positions.data());
      digest.add(checksum_of(keys)).add(checksum_of(values)).add(checksum_of(std::as_bytes(std::span(positions))));
    }
  return digest.add(static_cast<std::uint64_t>(cache.sequence_length())).finish();
}

/// The entry of a context as an earlier session or another workbench stored it.
inline SerializedEntry entry_of(ModelParts& parts, std::size_t context, const Configuration& configuration) {
  Prefilled made = prefilled(parts, context);
  Original original{std::move(made.cache), observation_of(*parts.runtime, std::move(made.queries))};
  return EntryMaker(*parts.runtime, *parts.catalog).compress(context, original, configuration, {}).value();
}

/// The same entry with another byte in its header: whoever reads it finds it corrupt.
inline SwitchableTier::Written damaged(const SerializedEntry& entry) {
  auto bytes = std::make_shared<std::vector<std::byte>>(*entry.bytes);
  (*bytes)[100] ^= std::byte{1};
  return {entry.info, std::move(bytes)};
}

/// Computes a context, which the store then has cached.
inline void compute_original(EngineParts& parts, std::size_t context, bool archive) {
  Prefilled made = prefilled(parts, context);
  parts.store->originals().keep(context, std::move(made.cache), std::move(made.queries), archive);
}

/// All blocks of a pool that are free, while it lives: no cache grows meanwhile.
class HeldBlocks {
 public:
  explicit HeldBlocks(BlockPool& pool) : pool_(pool) {
    while (pool.free_blocks() > 0) held_.push_back(pool.allocate().value());
  }
  ~HeldBlocks() {
    for (const BlockId block : held_) pool_.release(block);
  }
  HeldBlocks(const HeldBlocks&) = delete;
  HeldBlocks& operator=(const HeldBlocks&) = delete;

 private:
  BlockPool& pool_;
  std::vector<BlockId> held_;
};

/// Computes a context and stores it; nothing is in flight afterwards.
inline void store_context(EngineParts& parts, std::size_t context, const Configuration& to) {
  compute_original(parts, context, true);
  PlacementAction action;
  action.context = parts.catalog->state(context).key;
  action.kind = ActionKind::store;
  action.to = to;
  action.reason = "by a test";
  must(parts.store->commit(action));
  parts.store->finish_writes();
}

}  // namespace kvantage::test
