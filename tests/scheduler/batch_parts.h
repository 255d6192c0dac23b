// Requests in a batch that the test runs itself.
#pragma once

#include "core/scheduler/request_batch.h"
#include "tests/scheduler/served_parts.h"

namespace kvantage::test {

struct BatchParts : ServedParts {
  using ServedParts::ServedParts;
  ServedRequest& at(std::size_t place) { return batch.requests()[place]; }
  RequestTask::Need need(std::size_t place) { return at(place).task->needs(); }
  /// Another one in the batch, which decodes. Returns its place.
  std::size_t add_decoding(std::uint64_t id, std::size_t context = 0) {
    batch.add(request(id, context));
    bring_to_tokens(batch.requests().back());
    return batch.size() - 1;
  }
  /// All layers of one token.
  void decode_token() {
    do {
      if (!batch.decode_layer().empty()) qFatal("a token failed");
    } while (!batch.between_tokens());
  }

  /// All layers of one token, whatever else the batch has to do.
  void decode_pass() {
    const int layers = parts.runtime->model->kv_shape().layers;
    for (int layer = 0; layer < layers; ++layer)
      if (!batch.decode_layer().empty()) qFatal("a layer failed");
  }

  RunCounters counters;
  RequestBatch batch{parts.services(), parts.serving_clock, counters};
};

}  // namespace kvantage::test
