// A closer look at one context, while the run continues: which tokens methods keep of it, and what is answered from
// them. The clock of serving stands still meanwhile, as it does when answers are scored, so no figure of a request
// holds any of it. What it computes on is a cache of its own: it takes no original from the store's hands and leaves
// none there, so nothing is placed otherwise than without it.
#pragma once

#include <memory>

#include "core/inspect/inspection_mailbox.h"
#include "core/inspect/keep_map.h"
#include "core/request/load_task.h"
#include "core/runtime/serving_clock.h"
#include "core/store/engine_services.h"

namespace kvantage::inline inspection {

/// What requests take right now, which inspecting must leave to them.
struct RequestsNow {
  bool any = false;
  bool await_bytes = false;         // one waits for a device
  std::size_t reserved_blocks = 0;  // of the block pool
};

class ContextInspector {
 public:
  /// max_answer_tokens: of a question that says nothing of it.
  ContextInspector(const EngineServices& services, ServingClock& serving_clock, InspectionMailbox& mailbox,
                   int max_answer_tokens)
      : services_(services), serving_clock_(serving_clock), mailbox_(mailbox), max_answer_tokens_(max_answer_tokens) {}

  /// One turn of at most some 50 ms, or 10 ms beside requests; false: nothing to do, or not now.
  bool step(const RequestsNow& requests);
  /// A request has ended: there may be room again.
  void retry() { lacks_room_ = false; }
  /// Gives its memory to requests, and begins again once one has ended; false where it had none.
  bool free_memory();

 private:
  /// The original comes from the archive or is computed, a layer at a time; then there is a task.
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
  void begin_task(WindowQueries queries);
  void publish(const std::string& error);
  std::string work_text() const;
  void forget();

  EngineServices services_;
  ServingClock& serving_clock_;
  InspectionMailbox& mailbox_;
  int max_answer_tokens_;

  std::unique_ptr<Inspected> inspected_;
  InspectionMailbox::Asked asked_;
  bool wanted_ = false;      // the request is not complete
  bool begun_ = false;       // the task was asked it
  bool lacks_room_ = false;  // until a request has ended
  double seconds_ = 0;
};

}  // namespace kvantage::inline inspection
