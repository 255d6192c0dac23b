// Forms of one context that are measured together: their questions are answered as one batch, or the reference answers
// of these are read over them. So weights are read once for all of them. Where not prefills_together(), a batch is one
// form.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "core/quality/answer_readings.h"
#include "core/runtime/answer_task.h"
#include "core/runtime/catalog.h"

namespace kvantage::inline quality {

/// What a batch has at most. It changes no answer. A batch takes a single form whatever the number of its questions.
struct ProfileWidth {
  std::size_t forms = 16;
  std::size_t questions = 64;                     // on these forms
  int step_rows = AnswerTask::default_step_rows;  // tokens prefilled in a step
};

class FormBatch {
 public:
  using Questions = std::vector<std::size_t>;  // indices in the context's questions

  /// original: uncompressed. It and details must outlive this. max_answer_tokens: for questions without a limit.
  FormBatch(ModelRuntime& runtime, const ContextDetails& details, const KvCache& original, int max_answer_tokens,
            const ProfileWidth& width);

  bool empty() const { return forms_.empty(); }
  std::size_t size() const { return forms_.size(); }
  /// Whether another form with so many questions has room: in the batch, and in the half of the pool that is not left
  /// for requests.
  bool has_room(const Questions& questions) const;
  void add(std::unique_ptr<KvCache> form, Questions questions);
  /// The pool is full: from now on, a batch has at most as many forms as this one.
  void narrow();

  /// After the last add(): answers the questions.
  void begin_answers();
  /// Reads their reference answers instead.
  void begin_readings();
  /// About a layer's work for all forms. Where the pool is full, the last form is dropped, and is to be added to a
  /// later batch. no_space: there is only one; the same step can be retried.
  Status step();
  /// Whether all questions of the first form are answered, or read.
  bool first_is_measured() const;
  /// Then: by question. Frees the form, and the next one is the first.
  std::vector<AnswerTask::Answer> take_answers();
  std::vector<LogitMetrics> take_metrics();

 private:
  struct Form {
    std::unique_ptr<KvCache> cache;
    Questions questions;
    std::size_t first = 0;  // of these, among those of the batch
  };
  std::size_t questions_so_far() const;
  std::size_t blocks_of(const Questions& questions) const;
  int answer_tokens(const CatalogQuestion& question) const;

  ModelRuntime& runtime_;
  const ContextDetails& details_;
  int max_answer_tokens_;
  ProfileWidth width_;
  AnswerReadings readings_;
  std::deque<Form> forms_;
  std::unique_ptr<AnswerTask> answers_;  // null: readings
};

}  // namespace kvantage::inline quality
