#include "core/quality/form_batch.h"

#include <algorithm>
#include <utility>

#include "core/model/batch/batch_prefill.h"

namespace kvantage::inline quality {

FormBatch::FormBatch(ModelRuntime& runtime, const ContextDetails& details, const KvCache& original,
                     int max_answer_tokens, const ProfileWidth& width)
    : runtime_(runtime),
      details_(details),
      max_answer_tokens_(max_answer_tokens),
      width_(width),
      readings_(runtime, original, {.step_rows = width.step_rows}) {
  if (!prefills_together(*runtime.model)) width_.forms = 1;
}

int FormBatch::answer_tokens(const CatalogQuestion& question) const {
  return question.max_answer_tokens > 0 ? question.max_answer_tokens : max_answer_tokens_;
}

std::size_t FormBatch::questions_so_far() const {
  return forms_.empty() ? 0 : forms_.back().first + forms_.back().questions.size();
}

// Each question copies the last block of a head, and appends its own rows and those of its answer.
std::size_t FormBatch::blocks_of(const Questions& questions) const {
  std::size_t blocks = 0;
  for (const std::size_t index : questions) {
    const CatalogQuestion& question = details_.questions[index];
    blocks += runtime_.blocks_for(question.tokens.size() + static_cast<std::size_t>(answer_tokens(question)) +
                                  static_cast<std::size_t>(runtime_.pool->block_tokens()));
  }
  return blocks;
}

bool FormBatch::has_room(const Questions& questions) const {
  if (forms_.empty()) return true;
  if (forms_.size() >= width_.forms || questions_so_far() + questions.size() > width_.questions) return false;
  const BlockPool& pool = *runtime_.pool;
  std::size_t blocks = pool.capacity_blocks() / 2 + runtime_.blocks_for(details_.tokens.size()) + blocks_of(questions);
  for (const Form& form : forms_) blocks += blocks_of(form.questions);
  return pool.free_blocks() >= blocks;
}

void FormBatch::add(std::unique_ptr<KvCache> form, Questions questions) {
  const std::size_t first = questions_so_far();
  forms_.push_back({std::move(form), std::move(questions), first});
}

void FormBatch::narrow() { width_.forms = std::max<std::size_t>(1, forms_.size()); }

void FormBatch::begin_answers() {
  answers_ = std::make_unique<AnswerTask>(runtime_, width_.step_rows);
  for (const Form& form : forms_) {
    std::vector<AnswerTask::Question> questions;
    for (const std::size_t index : form.questions) {
      const CatalogQuestion& question = details_.questions[index];
      questions.push_back({question.tokens, answer_tokens(question)});
    }
    answers_->ask(*form.cache, std::move(questions));
  }
}

void FormBatch::begin_readings() {
  answers_.reset();
  std::vector<AnswerReadings::Item> items;
  for (const Form& form : forms_)
    for (const std::size_t index : form.questions) items.push_back({index, &details_.questions[index], &*form.cache});
  readings_.begin(std::move(items));
}

Status FormBatch::step() {
  const Status stepped = answers_ != nullptr ? answers_->step() : readings_.step();
  if (stepped || stepped.error().code != ErrorCode::no_space || forms_.size() < 2) return stepped;
  const std::size_t questions = forms_.back().questions.size();
  answers_ != nullptr ? answers_->withdraw(questions) : readings_.withdraw(questions);
  forms_.pop_back();
  narrow();
  return {};
}

bool FormBatch::first_is_measured() const {
  const Form& form = forms_.front();
  const std::size_t end = form.first + form.questions.size();
  if (answers_ == nullptr) return readings_.metrics().size() >= end;
  for (std::size_t question = form.first; question < end; ++question)
    if (!answers_->has_ended(question)) return false;
  return true;
}

std::vector<AnswerTask::Answer> FormBatch::take_answers() {
  const Form& form = forms_.front();
  std::vector<AnswerTask::Answer> answers;
  for (std::size_t i = 0; i < form.questions.size(); ++i) answers.push_back(answers_->take(form.first + i));
  forms_.pop_front();
  return answers;
}

std::vector<LogitMetrics> FormBatch::take_metrics() {
  const Form& form = forms_.front();
  const auto first = readings_.metrics().begin() + static_cast<std::ptrdiff_t>(form.first);
  std::vector<LogitMetrics> metrics(first, first + static_cast<std::ptrdiff_t>(form.questions.size()));
  forms_.pop_front();
  return metrics;
}

}  // namespace kvantage::inline quality
