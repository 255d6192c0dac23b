// What tests of a request's stages share: the parts of an engine, and one request's state.
#pragma once

#include <QtGlobal>

#include <utility>
#include <vector>

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

inline int spans_of(RequestState& state, RequestSpan::Kind kind) {
  int count = 0;
  for (const RequestSpan& span : state.spans.take().spans) count += span.kind == kind ? 1 : 0;
  return count;
}

}  // namespace kvantage::test
