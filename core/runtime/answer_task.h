// Greedy answers to several questions over one cache, in steps of a layer: questions are prefilled one after the other,
// then all are decoded as a batch. Answers equal those of asking one by one.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/model/batch_decode.h"
#include "core/runtime/model_runtime.h"

namespace kvantage::inline runtime {

class AnswerTask {
 public:
  struct Question {
    std::vector<std::int32_t> tokens;
    int max_answer_tokens = 0;
  };
  struct Answer {
    std::vector<std::int32_t> tokens;
    bool ended = false;  // by a stop token, not by length
  };
  /// `over` is only read; it must outlive the task.
  AnswerTask(ModelRuntime& runtime, const KvCache& over, std::vector<Question> questions);

  /// One layer of one question's prefill, or of one token of all answers. Errors as in PrefillTask::step().
  Status step();
  bool done() const { return prefilled_ == asked_.size() && !batch_ && !anybody_decodes(); }
  /// Whether the first token of this question's answer is known; it may be a stop token.
  bool has_begun(std::size_t question) const { return question < prefilled_; }
  /// The answer so far, until take_answers().
  const Answer& answer(std::size_t question) const { return asked_[question].answer; }
  /// After done(): in the order of the questions.
  std::vector<Answer> take_answers();

 private:
  struct Asked {
    Question question;
    Answer answer;
    std::optional<KvCache> cache;  // during prefill and decoding
    std::int32_t next_token = 0;
  };
  bool anybody_decodes() const;
  void take_token(Asked& asked, std::span<const float> logits);

  ModelRuntime& runtime_;
  const KvCache& over_;
  std::vector<std::int32_t> stop_ids_;
  std::vector<Asked> asked_;
  std::size_t prefilled_ = 0;
  std::unique_ptr<PrefillTask> prefill_;
  std::optional<BatchDecodeTask> batch_;
  std::vector<std::size_t> members_;  // sequences of the batch
};

}  // namespace kvantage::inline runtime
