// Iteration-level batching. Each turn takes arrived bytes, decodes one layer of the next token of all decoding
// requests, and computes one layer of one chunk of the oldest request that still prefills; where the model's products
// are batch-invariant, the same layer of chunks of younger ones with it. Requests join and leave between two tokens.
// With speculation, a request may take part in a pass with several rows, its drafts.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/model/batch_decode.h"
#include "core/scheduler/scheduler_ports.h"
#include "core/scheduler/speculation_pace.h"
#include "core/store/engine_services.h"
#include "core/store/run_counters.h"

namespace kvantage::inline scheduler {

class RequestBatch final : public RunningRequests {
 public:
  /// A failed request and its error.
  struct Failure {
    std::uint64_t id = 0;
    Error error;
  };

  RequestBatch(const EngineServices& services, const Clock& serving_clock, RunCounters& counters)
      : services_(services), serving_clock_(serving_clock), counters_(counters) {}

  /// Maximum concurrent requests, at least 1.
  void set_limit(std::size_t limit) { limit_ = limit; }
  std::size_t limit() const { return limit_; }
  /// Maximum tokens of a prefill step of several requests; 0: each step is of one request.
  void limit_prefill_batch(int tokens) { prefill_batch_tokens_ = tokens; }
  /// From the next token on.
  void speculate(const SpeculationSetting& setting) { pace_.use(setting); }
  bool has_free_place() const override { return requests_.size() < limit_; }
  bool empty() const { return requests_.empty(); }
  std::size_t size() const { return requests_.size(); }
  std::vector<ServedRequest>& requests() { return requests_; }  // oldest first
  const std::vector<ServedRequest>& requests() const override { return requests_; }
  void add(ServedRequest request);
  ServedRequest take_out(std::size_t place);
  /// Index of a request by its id; nothing if it has left.
  std::optional<std::size_t> place_of(std::uint64_t id) const;

  bool anybody(RequestTask::Need need) const;
  /// No request is decoding, computing or waiting.
  bool between_tokens() const;

  /// Takes arrived bytes for all requests, waiting up to `patience_seconds` for the first. Stops at the first failure.
  std::optional<Failure> take_bytes(double patience_seconds);
  /// One layer of the next token. Failures are ordered from the oldest request.
  std::vector<Failure> decode_layer();
  /// The oldest request with something to compute.
  std::optional<std::size_t> next_to_compute() const;
  /// Asked before a request that has computed nothing of its context takes part.
  using MayBegin = std::function<bool(ServedRequest&)>;
  /// Places whose next steps are computed as one: that of `oldest`, then younger ones, oldest first.
  std::vector<std::size_t> computed_together(std::size_t oldest, const MayBegin& may_begin);
  /// One layer of one chunk.
  Status compute(ServedRequest& request);
  /// The same of all these places, which computed_together() gave, at once. A younger one that finds no block is no
  /// failure: it tries again later.
  std::vector<Failure> compute(std::span<const std::size_t> places);

 private:
  struct Member {
    std::uint64_t id = 0;
    std::size_t first = 0, rows = 1;  // of the pass: its token, then its drafts
  };
  struct Decoding {
    BatchDecodeTask task;
    std::vector<Member> members;
    int drafts = 0;       // of all members
    bool teaches = true;  // its time: it began with no other work beside it, and no drafts were dropped
    double seconds = 0;   // of its layers so far
    bool has(std::uint64_t id) const;
  };
  bool begin_token();
  bool drop_drafts();
  std::vector<Failure> end_token(const Status& status);

  EngineServices services_;
  const Clock& serving_clock_;
  RunCounters& counters_;
  std::vector<ServedRequest> requests_;
  std::size_t limit_ = 1;
  int prefill_batch_tokens_ = 0;
  SpeculationPace pace_;
  std::optional<Decoding> decoding_;
};

}  // namespace kvantage::inline scheduler
