// Answers questions of the user's own while the run continues (core/ports/asker.h). As with ContextInspector, the
// serving clock stops meanwhile and the work has its own caches, so metrics and decisions of the run exclude it. What
// was computed for a text stays for the next question about it, in blocks that requests do not need.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/inspect/ask_mailbox.h"
#include "core/inspect/ask_task.h"
#include "core/inspect/asked_texts.h"
#include "core/inspect/inspection_turn.h"
#include "core/runtime/serving_clock.h"
#include "core/store/engine_services.h"

namespace kvantage::inline inspection {

class TextAsker {
 public:
  static constexpr int min_answer_tokens = 128;  // a question of the user's own may be about anything
  /// Of the block pool, for what is kept between questions.
  static constexpr std::size_t kept_part = 4;

  /// max_answer_tokens: of the session; answers here may be longer.
  TextAsker(const EngineServices& services, ServingClock& serving_clock, AskMailbox& mailbox, int max_answer_tokens)
      : services_(services),
        serving_clock_(serving_clock),
        mailbox_(mailbox),
        max_answer_tokens_(std::max(max_answer_tokens, min_answer_tokens)),
        texts_(*services.runtime.pool) {}

  /// One turn of at most about 50 ms, or 10 ms next to requests; false: nothing to do, or not now.
  bool step(const RequestsNow& requests);
  /// A request has ended: there may be space again.
  void retry() { lacks_room_ = false; }
  /// Frees its memory for requests, that of earlier questions too, and begins again once one has ended; false if it
  /// held none.
  bool free_memory();
  /// Bytes of what is kept for the next question, at most a part of the block pool (kept_part).
  std::size_t kept_bytes() const { return texts_.held_bytes(); }

 private:
  bool take_news();
  Status work(const RequestsNow& requests);
  Status begin(const RequestsNow& requests);
  void keep_within(const RequestsNow& requests);
  bool begin_without_kept(const Status& status);
  void publish();
  void publish_error(const std::string& error);
  void end_task();
  std::string work_text() const;

  EngineServices services_;
  ServingClock& serving_clock_;
  AskMailbox& mailbox_;
  int max_answer_tokens_;

  AskedTexts texts_;
  std::unique_ptr<AskTask> task_;
  std::size_t task_blocks_ = 0;             // that the task may need
  std::optional<std::size_t> kept_beside_;  // reserved blocks that what is kept leaves; nothing: not checked yet
  std::uint64_t ticket_ = 0;
  SharedValue<AskRequest> request_;
  bool wanted_ = false;      // the request is incomplete
  bool lacks_room_ = false;  // until a request ends
  bool keeps_ = true;        // the pool has room for the request and for what is kept
  bool begins_ = false;      // the next result is the first of the request, or of another attempt
  double seconds_ = 0;
  int shown_revision_ = 0;
};

}  // namespace kvantage::inline inspection
