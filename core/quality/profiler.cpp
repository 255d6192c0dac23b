#include "core/quality/profiler.h"

#include <utility>

namespace kvantage::inline quality {
namespace {

bool reads_predictions(const std::string& metric) {
  const QualityMetric* known = find_quality_metric(metric);
  return known != nullptr && known->basis == QualityBasis::logits;
}

}  // namespace

ProfileTask::ProfileTask(ModelRuntime& runtime, QualityMeter& meter, const ContextFacts& facts, ContextDetails& details,
                         const KvCache& cache, Observation observed, ProfilePlan plan)
    : runtime_(runtime),
      meter_(meter),
      details_(details),
      quality_metric_(plan.quality_metric),
      metric_(find_quality_metric(quality_metric_)),
      max_answer_tokens_(plan.max_answer_tokens),
      grid_(facts, details, std::move(plan), reads_predictions(quality_metric_)),
      forms_(runtime, cache, details.tokens, std::move(observed), grid_.needs()),
      readings_(runtime, cache) {}

void ProfileTask::enter(Stage stage) {
  stage_ = stage;
  item_ = 0;
}

// Whether the group is measured by readings; the uncompressed reading needs no comparison with itself.
bool ProfileTask::reads() const {
  return metric_->basis == QualityBasis::logits && (grid_.group().chance || grid_.group().cell != 0);
}

Status ProfileTask::step(const std::function<bool()>& stop) {
  if (done()) return {};
  switch (stage_) {
    case Stage::prepare:
      return prepare(stop);
    case Stage::form:
      return make_form();
    case Stage::ask:
      return ask_layer();
    case Stage::read:
      return read_layer();
    case Stage::grade:
      return grade_one();
  }
  return {};
}

Status ProfileTask::prepare(const std::function<bool()>& stop) {
  if (metric_ == nullptr) return fail(ErrorCode::usage, "unknown quality metric '" + quality_metric_ + "'");
  texts_.clear();
  metrics_.clear();
  answers_.reset();
  forms_.clear();
  if (grid_.group().chance) {
    KV_TRY(forms_.begin_without_context(stop));
    enter(Stage::read);
    return {};
  }
  if (const Status begun = forms_.begin(grid_.point().method, grid_.point().removed_fraction, stop); !begun)
    return leave_out_method(begun.error());
  enter(Stage::form);
  if (forms_.done()) measure_form();
  return {};
}

// One method's failure must not cost the others their curves; a full pool or a stop is nobody's failure.
Status ProfileTask::leave_out_method(const Error& error) {
  if (error.code == ErrorCode::no_space || error.code == ErrorCode::cancelled || grid_.group().cell == 0)
    return tl::unexpected(error);
  const std::string& method = grid_.point().method;
  const bool named = error.message.starts_with("method '");
  failed_methods_.push_back({method, named ? error.message : "method '" + method + "': " + error.message});
  grid_.leave_out_method();
  enter(Stage::prepare);
  return {};
}

Status ProfileTask::make_form() {
  const bool scores = forms_.scoring();
  if (const Status made = forms_.step(); !made) return scores ? leave_out_method(made.error()) : made;
  if (forms_.done()) measure_form();
  return {};
}

void ProfileTask::measure_form() {
  grid_.point().kept_tokens = forms_.kept_tokens();
  grid_.point().bytes = forms_.bytes();
  enter(reads() ? Stage::read : Stage::ask);
}

void ProfileTask::begin_answers() {
  std::vector<AnswerTask::Question> questions;
  for (const ProfileGrid::Asked& asked : grid_.group().asked) {
    const CatalogQuestion& question = details_.questions[asked.question];
    questions.push_back(
        {question.tokens, question.max_answer_tokens > 0 ? question.max_answer_tokens : max_answer_tokens_});
  }
  answers_ = std::make_unique<AnswerTask>(runtime_, forms_.form(), std::move(questions));
}

Status ProfileTask::ask_layer() {
  if (answers_ == nullptr) begin_answers();
  KV_TRY(answers_->step());
  if (!answers_->done()) return {};
  std::vector<AnswerTask::Answer> answers = answers_->take_answers();
  answers_.reset();
  const ProfileGrid::Group& group = grid_.group();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    texts_.push_back(runtime_.tokenizer->decode(answers[i].tokens));
    if (group.asked[i].reference)
      details_.questions[group.asked[i].question].take_reference(texts_.back(), std::move(answers[i].tokens),
                                                                 answers[i].ended);
  }
  enter(Stage::grade);
  return {};
}

Status ProfileTask::read_layer() {
  const ProfileGrid::Group& group = grid_.group();
  const std::size_t index = group.asked[item_].question;
  KV_ASSIGN(const auto metrics, readings_.step(index, details_.questions[index], forms_.form()));
  if (!metrics) return {};
  metrics_.push_back(*metrics);
  if (++item_ == group.asked.size()) enter(Stage::grade);
  return {};
}

Status ProfileTask::grade_one() {
  const ProfileGrid::Group& group = grid_.group();
  const ProfileGrid::Asked& asked = group.asked[item_];
  if (group.chance) {
    grid_.add_score(logit_score(*metric_, metrics_[item_]));
  } else if (asked.scored) {
    const CatalogQuestion& question = details_.questions[asked.question];
    AnswerEvidence evidence{
        .answer = {}, .golds = question.golds(), .reference = question.reference_answer, .logits = {}};
    if (!texts_.empty()) evidence.answer = texts_[item_];
    if (metric_->basis == QualityBasis::logits) evidence.logits = reads() ? metrics_[item_] : LogitMetrics{};
    KV_ASSIGN(const auto score, meter_.score(*metric_, evidence));
    if (score) grid_.add_score(*score);
  }
  if (++item_ < group.asked.size()) return {};
  grid_.finish_group();
  enter(Stage::prepare);
  return {};
}

}  // namespace kvantage::inline quality
