// Inspects one context while the run continues: which tokens methods keep, and what the model answers from them. The
// serving clock stops meanwhile, as during the scoring of answers, so request metrics exclude it. It works on its own
// cache and neither takes originals from the store nor leaves any there, so placement does not change.
#pragma once

#include <memory>

#include "core/inspect/inspection_mailbox.h"
#include "core/inspect/inspection_turn.h"
#include "core/inspect/keep_map.h"
#include "core/request/load_task.h"
#include "core/runtime/serving_clock.h"
#include "core/store/engine_services.h"

namespace kvantage::inline inspection {

class ContextInspector {
 public:
  /// max_answer_tokens: for questions without a limit.
  ContextInspector(const EngineServices& services, ServingClock& serving_clock, InspectionMailbox& mailbox,
                   int max_answer_tokens)
      : services_(services), serving_clock_(serving_clock), mailbox_(mailbox), max_answer_tokens_(max_answer_tokens) {}

  /// One turn of at most about 50 ms, or 10 ms next to requests; false: nothing to do, or not now.
  bool step(const RequestsNow& requests);
  /// A request has ended: there may be space again.
  void retry() { lacks_room_ = false; }
  /// Frees its memory for requests and restarts once one has ended; false if it held none.
  bool free_memory();

 private:
  /// The original is read from the archive or computed, one layer at a time; then `task` is created.
  struct Inspected {
    std::size_t context = 0;
    KvCache cache;
    std::unique_ptr<PrefillTask> prefill;
    std::unique_ptr<LoadTask> load;
    std::unique_ptr<KeepMapTask> task = {};
    int shown_revision = 0;
  };
  bool take_news();
  Status work(const RequestsNow& requests);
  Status begin(const RequestsNow& requests);
  Status original_step(const RequestsNow& requests);
  Status begin_task(WindowQueries queries);
  void publish(const std::string& error);
  std::string work_text() const;
  void forget();

  EngineServices services_;
  ServingClock& serving_clock_;
  InspectionMailbox& mailbox_;
  int max_answer_tokens_;

  std::unique_ptr<Inspected> inspected_;
  InspectionMailbox::Asked asked_;
  bool wanted_ = false;      // the request is incomplete
  bool begun_ = false;       // the task got the request
  bool lacks_room_ = false;  // until a request ends
  double seconds_ = 0;
};

}  // namespace kvantage::inline inspection
