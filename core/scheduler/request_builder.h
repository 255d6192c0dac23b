// Makes a request out of an arrival: what is recorded of it beforehand, what it takes of the block pool, and the task
// that serves it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/request/load_task.h"
#include "core/request/request_task.h"
#include "core/scheduler/arrival_queue.h"
#include "core/store/engine_services.h"

namespace kvantage::inline scheduler {

/// A request that was begun.
struct ServedRequest {
  Arrival arrival;
  std::unique_ptr<RequestTask> task;
  std::size_t entry = 0;                          // context whose stored entry serves it
  std::weak_ptr<const EntryHeader> entry_header;  // of that entry then: tells whether it was written again since
  std::size_t reserved_blocks = 0;
  std::shared_ptr<std::size_t> shown_bytes = {};  // of its answer so far
  bool held_up = false;                           // by a step of profiling: once is the most
  bool waited_beside_profiling = false;           // for bytes, during the last such step
  bool noted = false;                             // its first token is out, and whoever listens knows
};

/// The stored entry that serves a request, if any, and what finding it took.
struct FoundHit {
  std::optional<CacheHit> hit;
  std::unique_ptr<LoadTask> begun_load;  // of the hit, reading already
  double lookup_seconds = 0;
  double prefetch_seconds = 0;  // since it began to be read ahead
};

class RequestBuilder {
 public:
  /// max_answer_tokens: of a question that says nothing of it.
  RequestBuilder(const EngineServices& services, const Clock& serving_clock, int max_answer_tokens)
      : services_(services), serving_clock_(serving_clock), max_answer_tokens_(max_answer_tokens) {}

  /// policy: that decides, for the record. attend_coded: as RequestInput.
  void use(std::string policy, bool attend_coded) {
    policy_ = std::move(policy);
    attend_coded_ = attend_coded;
  }

  /// Tokens of context and question.
  std::size_t prompt_tokens(const Arrival& arrival) const;
  /// Blocks that it begins with. Most answers are short: who runs out of blocks all the same is preempted, and begins
  /// again.
  std::size_t blocks_needed(const Arrival& arrival) const;
  /// What is known of it before it is served.
  RequestRecord record_of(const Arrival& arrival) const;
  /// What the task gets, with what the costs and curves foretell. Before the lookup: an arrival has its time by then.
  RequestInput input_of(const Arrival& arrival) const;
  ServedRequest make(const Arrival& arrival, RequestInput input, FoundHit found) const;
  /// One whose prompt the pool can never hold: says so, and ends it.
  void refuse(const Arrival& arrival) const;

 private:
  const CatalogQuestion& question_of(const Arrival& arrival) const;
  int longest_answer(const CatalogQuestion& question) const;

  EngineServices services_;
  const Clock& serving_clock_;
  int max_answer_tokens_;
  std::string policy_;
  bool attend_coded_ = false;
};

}  // namespace kvantage::inline scheduler
