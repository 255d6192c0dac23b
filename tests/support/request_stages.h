// What tests of a request's stages share: the parts of an engine, and one request's state.
#pragma once

#include <QtGlobal>

#include <utility>
#include <vector>

#include "core/base/digest.h"
#include "core/request/request_state.h"
#include "tests/support/engine_parts_work.h"

namespace kvantage::test {

struct StageParts : EngineParts {
  explicit StageParts(const Workload& workload, ModelRuntimeOptions options = {})
      : EngineParts(workload, std::move(options)) {}
  explicit StageParts(int chunk_tokens = 256, int sentences = 16)
      : StageParts(small_workload(1, sentences, 3), {.prefill_chunk_tokens = chunk_tokens, .name = {}, .load = {}}) {}

  RequestState state(std::size_t context = 0, double lookup_seconds = 0) {
    return {*runtime, serving_clock, input_of(*this, context, 0), lookup_seconds};
  }
  const std::vector<std::int32_t>& tokens(std::size_t context = 0) const { return catalog->details(context).tokens; }
  int layers() const { return runtime->model->kv_shape().layers; }
  int chunks_of(std::size_t tokens) const {
    const auto chunk = static_cast<std::size_t>(runtime->chunk_tokens());
    return static_cast<int>((tokens + chunk - 1) / chunk);
  }
  void hold_all_blocks() {
    for (BlockPool& pool = *runtime->pool; pool.free_blocks() > 0;) held_.push_back(pool.allocate().value());
  }
  void give_blocks_back() {
    for (const BlockId block : std::exchange(held_, {})) runtime->pool->release(block);
  }
  /// The context's uncompressed cache, by a prefill of all of it.
  KvCache computed(std::size_t context = 0) {
    KvCache cache(*runtime->pool);
    PrefillTask prefill(*runtime->model, cache, tokens(context), 0,
                        {.chunk_tokens = runtime->chunk_tokens(), .window_queries = 0, .logits = PrefillLogits::none});
    must(prefill.run());
    return cache;
  }

 private:
  std::vector<BlockId> held_;
};

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

inline int spans_of(RequestState& state, RequestSpan::Kind kind) {
  int count = 0;
  for (const RequestSpan& span : state.spans.take().spans) count += span.kind == kind ? 1 : 0;
  return count;
}

}  // namespace kvantage::test
