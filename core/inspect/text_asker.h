// Answers questions of the user's own while the run continues (core/ports/asker.h). As with ContextInspector, the
// serving clock stops meanwhile and the work has its own caches, so metrics and decisions of the run exclude it.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "core/inspect/ask_task.h"
#include "core/inspect/inspection_mailbox.h"
#include "core/inspect/inspection_turn.h"
#include "core/runtime/serving_clock.h"
#include "core/store/engine_services.h"

namespace kvantage::inline inspection {

class TextAsker {
 public:
  static constexpr int min_answer_tokens = 128;  // a question of the user's own may be about anything

  /// max_answer_tokens: of the session; answers here may be longer.
  TextAsker(const EngineServices& services, ServingClock& serving_clock, AskMailbox& mailbox, int max_answer_tokens)
      : services_(services),
        serving_clock_(serving_clock),
        mailbox_(mailbox),
        max_answer_tokens_(std::max(max_answer_tokens, min_answer_tokens)) {}

  /// One turn of at most about 50 ms, or 10 ms next to requests; false: nothing to do, or not now.
  bool step(const RequestsNow& requests);
  /// A request has ended: there may be space again.
  void retry() { lacks_room_ = false; }
  /// Frees its memory for requests and begins again once one has ended; false if it held none.
  bool free_memory();

 private:
  bool take_news();
  Status work(const RequestsNow& requests);
  Status begin(const RequestsNow& requests);
  void publish();
  void publish_error(const std::string& error);
  std::string work_text() const;

  EngineServices services_;
  ServingClock& serving_clock_;
  AskMailbox& mailbox_;
  int max_answer_tokens_;

  std::unique_ptr<AskTask> task_;
  AskMailbox::Asked asked_;
  bool wanted_ = false;      // the request is incomplete
  bool lacks_room_ = false;  // until a request ends
  double seconds_ = 0;
  int shown_revision_ = 0;
};

}  // namespace kvantage::inline inspection
