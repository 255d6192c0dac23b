// What parts of the scheduler work between, without a scheduler: requests that the test begins itself, in a batch that
// it runs itself.
#pragma once

#include <QtGlobal>

#include <optional>
#include <utility>

#include "core/scheduler/arrival_queue.h"
#include "core/scheduler/request_batch.h"
#include "core/scheduler/request_builder.h"
#include "tests/support/engine_parts_work.h"

namespace kvantage::test {

struct BatchParts {
  explicit BatchParts(Workload of = small_workload(2, 8, 3))
      : workload(std::move(of)), parts(workload, with_pool(16 << 20)) {
    builder.use("lru", false);
  }
  /// One that has begun, with the hit that serves it or none.
  ServedRequest request(std::uint64_t id, std::size_t context = 0, std::optional<CacheHit> hit = std::nullopt) {
    const Arrival arrival{.context = context, .question = 0, .id = id};
    FoundHit found;
    found.hit = std::move(hit);
    return builder.make(arrival, builder.input_of(arrival), std::move(found));
  }
  /// Of a context that is stored; the entry's header is still to be read.
  CacheHit hit_of(std::size_t context) {
    CacheHit hit = parts.store->find(parts.catalog->details(context).tokens).value();
    hit.header = nullptr;
    return hit;
  }
  ServedRequest& at(std::size_t place) { return batch.requests()[place]; }
  RequestTask::Need need(std::size_t place) { return at(place).task->needs(); }
  /// Until it has its first token.
  static void bring_to_tokens(ServedRequest& request) {
    const auto has_token = [&] { return request.task->done() || request.task->needs() == RequestTask::Need::token; };
    for (int turn = 0; !has_token(); ++turn) {
      if (turn > 1000) qFatal("a request does not progress");
      must(request.task->poll(0.001));
      must(request.task->compute());
    }
  }
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

  Workload workload;
  EngineParts parts;
  ArrivalQueue arrivals{workload, *parts.catalog, parts.serving_clock, {.seed = 4}};
  RunCounters counters;
  RequestBatch batch{parts.services(), parts.serving_clock, counters};
  RequestBuilder builder{parts.services(), parts.serving_clock, 12};
};

/// The first two requests ask about different contexts.
inline Workload two_contexts_in_turn(int sentences = 8) {
  for (std::uint64_t seed = 1;; ++seed) {
    Workload workload = small_workload(2, sentences, seed);
    const auto sequence = workload.requests(2, 4);
    if (sequence[0].context != sequence[1].context) return workload;
  }
}

}  // namespace kvantage::test
