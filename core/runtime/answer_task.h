// Greedy answers to questions over one or several caches, in steps of a layer. Answers equal those of asking one by
// one. Where prefills_together(), questions are prefilled together, as many as a step has rows for; else one after the
// other. Then all are decoded as a batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/model/batch_decode.h"
#include "core/ports/serving_settings.h"
#include "core/runtime/model_runtime.h"

namespace kvantage::inline runtime {

class AnswerTask {
 public:
  /// Tokens that are prefilled in a step, as in a prefill step of several requests.
  static constexpr int default_step_rows = BatchSettings{}.prefill_batch_tokens;

  struct Question {
    std::vector<std::int32_t> tokens;
    int max_answer_tokens = 0;
  };
  struct Answer {
    std::vector<std::int32_t> tokens;
    bool ended = false;  // by a stop token, not by length
  };
  /// Without questions yet. step_rows: tokens of a step, at most, where questions are prefilled together; a step takes
  /// a single question whatever its length.
  explicit AnswerTask(ModelRuntime& runtime, int step_rows = default_step_rows);
  /// As ask().
  AnswerTask(ModelRuntime& runtime, const KvCache& over, std::vector<Question> questions);

  /// Adds questions behind those that were asked. `over` is only read; it must outlive their answers.
  void ask(const KvCache& over, std::vector<Question> questions);
  /// Drops the last `count` questions and frees their memory; the other answers do not change.
  void withdraw(std::size_t count);

  /// One layer of one question's prefill, or of several questions' prefill, or of one token of all answers. Errors as
  /// in PrefillTask::step(). no_space: can be retried; where questions are prefilled together, not even one has room.
  Status step();
  bool done() const;
  /// Whether the first token of this question's answer is known; it may be a stop token. One of several answers may
  /// begin again where the pool is full.
  bool has_begun(std::size_t question) const { return asked_[question].stage >= Stage::decodes; }
  bool has_ended(std::size_t question) const { return asked_[question].stage == Stage::ended; }
  /// The answer so far, until take().
  const Answer& answer(std::size_t question) const { return asked_[question].answer; }
  /// After has_ended().
  Answer take(std::size_t question) { return std::move(asked_[question].answer); }

 private:
  enum class Stage : std::uint8_t { waits, prefills, decodes, ended };
  struct Asked {
    Question question;
    const KvCache* over = nullptr;
    Answer answer;
    Stage stage = Stage::waits;
    std::optional<KvCache> cache;  // during prefill and decoding
    std::int32_t next_token = 0;
  };
  struct Prefilling {
    std::size_t asked = 0;
    std::unique_ptr<PrefillTask> task;
  };
  bool anybody_decodes() const;
  void begin_wave();
  Status prefill_layer();
  bool frees_memory();
  void put_wave_back();
  bool still_decodes(std::size_t question) const;
  bool put_last_back();
  Status decode_layer();
  void take_token(Asked& asked, std::span<const float> logits);

  ModelRuntime& runtime_;
  int step_rows_;
  std::size_t most_together_;  // questions of a wave; fewer once the pool was full
  bool together_;
  std::vector<std::int32_t> stop_ids_;
  std::deque<Asked> asked_;       // tasks refer to their caches: elements stay where they are
  std::vector<Prefilling> wave_;  // questions that are prefilled now, in order
  bool decodes_first_ = false;    // before further prefills: these lack memory
  std::optional<BatchDecodeTask> batch_;
  std::vector<std::size_t> members_;  // sequences of the batch
};

}  // namespace kvantage::inline runtime
