// A scheduler with what it is made of, a list of requests, and a listener that only writes down what it hears.
#pragma once

#include <QtGlobal>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/scheduler/request_scheduler.h"
#include "tests/scheduler/served_parts.h"

namespace kvantage::test {

/// Writes down what it hears.
struct Listener final : RequestListener {
  void about_to_begin() override { heard.push_back("begins"); }
  void context_served(ServedRequest& request) override {
    hear("served", request);
    if (on_served) on_served(request);
  }
  void answered(ServedRequest& request) override {
    hear("answered", request);
    answers.push_back(request.task->record());
  }
  void ended(ServedRequest& request) override { hear("ended", request); }
  bool free_memory() override {
    heard.push_back("free memory");
    return frees_memory;
  }
  void room_again() override { heard.push_back("room"); }
  void hear(const std::string& what, const ServedRequest& request) {
    heard.push_back(what + " " + std::to_string(request.arrival.id));
  }
  std::vector<std::string> heard;
  std::vector<RequestRecord> answers;
  bool frees_memory = false;
  std::function<void(ServedRequest&)> on_served;
};

using Heard = std::vector<std::string>;

struct Setup {
  int max_batch = 1;
  bool frozen = false;
  std::uint64_t pool_bytes = std::uint64_t{32} << 20;
  int prefill_batch_tokens = 0;  // above 0: with batch-invariant products
};

/// A scheduler and what it works with.
struct Serving {
  explicit Serving(const Setup& setup = {}, Workload of = small_workload(2, 16, 3))
      : workload(std::move(of)),
        parts(workload, options_of(setup)),
        arrivals(workload, *parts.catalog, parts.serving_clock),
        requests(parts.services(), parts.serving_clock, arrivals, choice, listener, counters,
                 {.max_answer_tokens = 12, .frozen = setup.frozen}) {
    requests.use({.policy = "lru", .max_batch = setup.max_batch, .prefill_batch_tokens = setup.prefill_batch_tokens});
  }
  static ModelRuntimeOptions options_of(const Setup& setup) {
    const ModelRuntimeOptions options = with_pool(setup.pool_bytes);
    return setup.prefill_batch_tokens > 0 ? with_invariant_products(options) : options;
  }
  /// One has begun, and as many as fit into the batch with it.
  void begin(std::uint64_t limit, double rate = 0, bool cold = true) {
    requests.begin_run(cold);
    arrivals.begin(limit, rate);
    do admit_all();
    while (!requests.any() && !arrivals.exhausted());
  }
  void admit_all() {
    while (requests.admit(false)) {
    }
  }
  void step_until(const std::function<bool()>& there) {
    for (int turn = 0; !there(); ++turn) {
      if (turn > 100000) qFatal("requests do not progress");
      requests.step(true);
    }
  }
  void serve_all() {
    for (int turn = 0; requests.any() || !arrivals.exhausted() || arrivals.has_put_back(); ++turn) {
      if (turn > 100000) qFatal("requests do not end");
      admit_all();
      requests.step(true);
    }
  }
  void hold_all_blocks() {
    for (BlockPool& pool = *parts.runtime->pool; pool.free_blocks() > 0;) held.push_back(pool.allocate().value());
  }
  void give_blocks_back() {
    for (const BlockId block : std::exchange(held, {})) parts.runtime->pool->release(block);
  }
  /// The context that the n-th request of the run asks about.
  std::size_t context_of(std::size_t request) const {
    const auto sequence = workload.requests(request + 1, 4);
    return *parts.catalog->index_of_id(workload.contexts[sequence[request].context].id);
  }
  std::vector<RequestRecord> cancelled() const {
    std::vector<RequestRecord> records;
    for (const auto& finished : parts.sink.all<events::RequestFinished>())
      if (finished.record.cancelled) records.push_back(finished.record);
    return records;
  }
  std::vector<std::uint64_t> started() const {
    std::vector<std::uint64_t> ids;
    for (const auto& event : parts.sink.all<events::RequestStarted>()) ids.push_back(event.id);
    return ids;
  }
  std::string shown(std::uint64_t request) const {
    std::string text;
    for (const auto& event : parts.sink.all<events::TokenEmitted>())
      if (event.request == request) text += event.text;
    return text;
  }

  Workload workload;
  EngineParts parts;
  AlwaysLoad choice;
  ListedRequests arrivals;
  Listener listener;
  RunCounters counters;
  RequestScheduler requests;
  std::vector<BlockId> held;
};

}  // namespace kvantage::test
