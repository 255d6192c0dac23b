#include "core/quality/profiler.h"

#include <utility>

namespace kvantage::inline quality {
namespace {

bool reads_predictions(const std::string& metric) {
  const QualityMetric* known = find_quality_metric(metric);
  return known != nullptr && known->basis == QualityBasis::logits;
}

FormBatch::Questions questions_of(const ProfileGrid::Group& group) {
  FormBatch::Questions questions;
  for (const ProfileGrid::Asked& asked : group.asked) questions.push_back(asked.question);
  return questions;
}

}  // namespace

ProfileTask::ProfileTask(ModelRuntime& runtime, QualityMeter& meter, const ContextFacts& facts, ContextDetails& details,
                         const KvCache& cache, Observation observed, ProfilePlan plan, const ProfileWidth& width)
    : runtime_(runtime),
      meter_(meter),
      details_(details),
      quality_metric_(plan.quality_metric),
      metric_(find_quality_metric(quality_metric_)),
      batch_(runtime, details, cache, plan.max_answer_tokens, width),
      grid_(facts, details, std::move(plan), reads_predictions(quality_metric_)),
      forms_(runtime, cache, details.tokens, std::move(observed), grid_.needs()) {}

void ProfileTask::enter(Stage stage) {
  stage_ = stage;
  item_ = 0;
}

// Whether the group is measured by readings; the uncompressed reading needs no comparison with itself.
bool ProfileTask::reads(const ProfileGrid::Group& group) const {
  return metric_->basis == QualityBasis::logits && (group.chance || group.cell != 0);
}

Status ProfileTask::step(const std::function<bool()>& stop) {
  if (done()) return {};
  switch (stage_) {
    case Stage::prepare:
      return prepare(stop);
    case Stage::form:
      return make_form();
    case Stage::measure:
      return measure_layer();
    case Stage::grade:
      return grade_one();
  }
  return {};
}

// Of the group behind those whose forms are in the batch.
Status ProfileTask::prepare(const std::function<bool()>& stop) {
  if (metric_ == nullptr) return fail(ErrorCode::usage, "unknown quality metric '" + quality_metric_ + "'");
  const std::size_t ahead = batch_.size();
  const Status begun = grid_.ahead(ahead)->chance
                           ? forms_.begin_without_context(stop)
                           : forms_.begin(grid_.point(ahead).method, grid_.point(ahead).removed_fraction, stop);
  if (!begun) return form_failed(begun.error(), true);
  enter(Stage::form);
  if (forms_.done()) take_form();
  return {};
}

// One method's failure must not cost the others their curves; a full pool or a stop is nobody's failure.
Status ProfileTask::form_failed(const Error& error, bool of_method) {
  const std::size_t ahead = batch_.size();
  if (error.code == ErrorCode::no_space && ahead > 0) {  // it is made again once the batch is measured
    forms_.clear();
    batch_.narrow();
    next_form();
    return {};
  }
  if (!of_method || error.code == ErrorCode::no_space || error.code == ErrorCode::cancelled ||
      grid_.ahead(ahead)->cell == 0)
    return tl::unexpected(error);
  const std::string method = grid_.point(ahead).method;
  const bool named = error.message.starts_with("method '");
  failed_methods_.push_back({method, named ? error.message : "method '" + method + "': " + error.message});
  grid_.leave_out_method(ahead);
  next_form();
  return {};
}

Status ProfileTask::make_form() {
  const bool scores = forms_.scoring();
  if (const Status made = forms_.step(); !made) return form_failed(made.error(), scores);
  if (forms_.done()) take_form();
  return {};
}

void ProfileTask::take_form() {
  const std::size_t ahead = batch_.size();
  const ProfileGrid::Group& group = *grid_.ahead(ahead);
  if (!group.chance) {
    grid_.point(ahead).kept_tokens = forms_.kept_tokens();
    grid_.point(ahead).bytes = forms_.bytes();
  }
  batch_.add(forms_.take(), questions_of(group));
  next_form();
}

// Another form for the batch, if it takes one; else what it has is measured. Readings need the answers to the
// uncompressed form, so the two are never together.
void ProfileTask::next_form() {
  const ProfileGrid::Group* const next = grid_.ahead(batch_.size());
  const bool more = next != nullptr && grid_.is_fixed() && reads(*next) == reads(grid_.group()) &&
                    batch_.has_room(questions_of(*next));
  if (batch_.empty() || more) return enter(Stage::prepare);
  reads(grid_.group()) ? batch_.begin_readings() : batch_.begin_answers();
  enter(Stage::measure);
}

Status ProfileTask::measure_layer() {
  if (!batch_.first_is_measured()) KV_TRY(batch_.step());
  if (!batch_.first_is_measured()) return {};
  texts_.clear();
  metrics_.clear();
  if (reads(grid_.group()))
    metrics_ = batch_.take_metrics();
  else
    take_answers();
  enter(Stage::grade);
  return {};
}

void ProfileTask::take_answers() {
  const ProfileGrid::Group& group = grid_.group();
  std::vector<AnswerTask::Answer> answers = batch_.take_answers();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    texts_.push_back(runtime_.tokenizer->decode(answers[i].tokens));
    if (group.asked[i].reference)
      details_.questions[group.asked[i].question].take_reference(texts_.back(), std::move(answers[i].tokens),
                                                                 answers[i].ended);
  }
}

Status ProfileTask::grade_one() {
  const ProfileGrid::Group& group = grid_.group();
  const ProfileGrid::Asked& asked = group.asked[item_];
  if (group.chance) {
    grid_.add_score(logit_score(*metric_, metrics_[item_]));
  } else if (asked.scored) {
    const CatalogQuestion& question = details_.questions[asked.question];
    AnswerEvidence evidence{.answer = {},
                            .golds = question.golds(),
                            .reference = question.reference_answer,
                            .logits = {},
                            .family = details_.family};
    if (!texts_.empty()) evidence.answer = texts_[item_];
    if (metric_->basis == QualityBasis::logits) evidence.logits = reads(group) ? metrics_[item_] : LogitMetrics{};
    KV_ASSIGN(const auto score, meter_.score(*metric_, evidence));
    if (score) grid_.add_score(*score);
  }
  if (++item_ < group.asked.size()) return {};
  grid_.finish_group();
  enter(batch_.empty() ? Stage::prepare : Stage::measure);
  return {};
}

}  // namespace kvantage::inline quality
