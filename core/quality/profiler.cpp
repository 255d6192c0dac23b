#include "core/quality/profiler.h"

#include <algorithm>

#include "core/base/statistics.h"
#include "core/compress/rerotate.h"
#include "core/kv/recode.h"

namespace kvantage {

namespace {

constexpr double lost_for_good =
    0.5;                             // of the uncompressed quality: what has less left is not worth asking when smaller
constexpr double far_behind = 0.25;  // in quality; two standard errors of a difference over a dozen questions

const ProfileCell* find_cell(const std::vector<ProfileCell>& cells, const ProfilePoint& point) {
  const auto found = std::ranges::find_if(cells, [&](const ProfileCell& cell) {
    return cell.point.method == point.method && cell.point.removed_fraction == point.removed_fraction;
  });
  return found == cells.end() ? nullptr : &*found;
}

double mean_quality_of(const std::vector<ProfileCell>& cells, const std::string& method) {
  std::vector<double> qualities;
  for (const ProfileCell& cell : cells)
    if (cell.point.method == method) qualities.push_back(cell.point.quality);
  return mean_of(qualities);
}

}  // namespace

ProfileTask::ProfileTask(ModelRuntime& runtime, QualityMeter& meter, const ContextState& state, ContextDetails& details,
                         const KvCache& cache, Observation observed, ProfilePlan plan)
    : runtime_(runtime),
      meter_(meter),
      state_(state),
      details_(details),
      original_(cache),
      observed_(std::move(observed)),
      plan_(std::move(plan)),
      metric_(find_quality_metric(plan_.quality_metric)) {
  const auto add_cell = [&](const std::string& method, double removed_fraction) {
    ProfileCell cell;
    cell.context = state.key;
    cell.context_id = state.id;
    cell.family = state.family;
    cell.point.method = method;
    cell.point.removed_fraction = removed_fraction;
    cells_.push_back(std::move(cell));
  };
  add_cell("none", 0.0);
  if (!plan_.before.empty())
    std::ranges::stable_sort(plan_.methods, std::ranges::greater(),
                             [&](const std::string& method) { return mean_quality_of(plan_.before, method); });
  for (const std::string& method : plan_.methods) {
    const auto parsed = parse_method(method);
    if (method == "none" || !parsed) continue;  // unknown ones were refused with the settings
    needs_.include((*parsed)->info().needs);    // all that any cell needs is observed at once
    for (const double fraction : (*parsed)->fractions_of(plan_.removed_fractions)) add_cell(method, fraction);
  }
  add_groups();
}

void ProfileTask::add_groups() {
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
    Group group{cell, false, {}};
    std::size_t asked = 0;
    for (std::size_t question = 0; question < details_.questions.size(); ++question) {
      const bool chosen = plan_.asked.empty() ? !details_.questions[question].held_out
                                              : std::ranges::find(plan_.asked, question) != plan_.asked.end();
      const bool scored = chosen && (plan_.questions == 0 || asked < plan_.questions);
      const bool reference = cell == 0 && (scored || plan_.reference_answers);
      if (!scored && !reference) continue;
      if (scored) ++asked;
      group.asked.push_back({question, reference, scored});
    }
    if (!group.asked.empty()) groups_.push_back(std::move(group));
  }
  if (metric_ == nullptr || metric_->basis != QualityBasis::logits || groups_.empty()) return;
  Group chance{0, true, groups_.front().asked};
  std::erase_if(chance.asked, [](const Asked& asked) { return !asked.scored; });
  if (!chance.asked.empty()) groups_.push_back(std::move(chance));
}

void ProfileTask::enter(Stage stage) {
  stage_ = stage;
  layer_ = 0;
  item_ = 0;
}

// Uncompressed, a reading is equal to itself.
bool ProfileTask::reads() const {
  const Group& group = groups_[group_];
  return metric_->basis == QualityBasis::logits && (group.chance || group.cell != 0);
}

Status ProfileTask::prepare(const Stop& stop) {
  if (metric_ == nullptr) return fail(ErrorCode::usage, "quality metric '" + plan_.quality_metric + "' is not known");
  texts_.clear();
  figures_.clear();
  answers_.reset();
  compressed_.reset();
  if (groups_[group_].chance) {
    KV_ASSIGN(auto cache, cache_without_context(runtime_, stop));
    compressed_ = std::make_unique<KvCache>(std::move(cache));
    enter(Stage::read);
    return {};
  }
  const auto tokens = static_cast<std::size_t>(state_.tokens);
  if (point().method == "none") {
    compressed_ = std::make_unique<KvCache>(original_.share());
    point().kept_tokens = original_.kept_mean();
    point().bytes = predicted_entry_bytes(original_.shape(), tokens, tokens, point().method.size());
    enter(Stage::ask);
    return {};
  }
  KV_ASSIGN(auto method, parse_method(point().method));
  method_ = std::move(method);
  if (scored_method_ == point().method) {
    enter(Stage::cut);
    return {};
  }
  KV_TRY(complete_observation(runtime_, original_, details_.tokens, needs_, observed_, stop));
  scores_ = {};
  enter(Stage::score);
  return {};
}

Status ProfileTask::score_layer() {
  KV_TRY(method_->score_layer(original_, observed_, scores_));
  if (++layer_ < original_.shape().layers) return {};
  scored_method_ = point().method;
  ++scorings_;
  sorts_ += scores_.sorts;
  enter(Stage::cut);
  return {};
}

// As compressed_copy(), layer by layer.
Status ProfileTask::cut_layer() {
  if (layer_ == 0) {
    kept_ = method_->keep_for(scores_, point().removed_fraction);
    compressed_ = std::make_unique<KvCache>(original_.share());
  }
  KV_TRY(compressed_->keep(layer_, kept_[static_cast<std::size_t>(layer_)]));
  if (++layer_ < original_.shape().layers) return {};
  point().kept_tokens = compressed_->kept_mean();
  encoded_.clear();
  enter(Stage::code);
  return {};
}

// As as_read(), layer by layer.
Status ProfileTask::code_layer() {
  const std::size_t name_bytes = point().method.size();
  if (const Codec* codec = method_->codec()) {
    KV_ASSIGN(const auto bytes, recode_layer(*compressed_, layer_, *codec));
    encoded_.push_back(bytes);
    if (++layer_ < original_.shape().layers) return {};
    point().bytes =
        recoded_entry_bytes(original_.shape(), static_cast<std::size_t>(state_.tokens), name_bytes, *codec, encoded_);
  } else {
    KV_ASSIGN(const auto bytes, entry_bytes(*compressed_, name_bytes, *parse_codec("bf16").value()));
    point().bytes = bytes;
  }
  if (method_->info().rerotates) {
    KV_ASSIGN(auto turned, rerotated(*compressed_, observed_.frequencies));
    compressed_ = std::make_unique<KvCache>(std::move(turned));
  }
  enter(reads() ? Stage::read : Stage::ask);
  return {};
}

Status ProfileTask::ask_layer() {
  const Group& group = groups_[group_];
  if (answers_ == nullptr) {
    std::vector<AnswerTask::Question> questions;
    for (const Asked& asked : group.asked) {
      const CatalogueQuestion& question = details_.questions[asked.question];
      questions.push_back(
          {question.tokens, question.max_answer_tokens > 0 ? question.max_answer_tokens : plan_.max_answer_tokens});
    }
    answers_ = std::make_unique<AnswerTask>(runtime_, *compressed_, std::move(questions));
  }
  KV_TRY(answers_->step());
  if (!answers_->done()) return {};
  std::vector<AnswerTask::Answer> answers = answers_->take_answers();
  answers_.reset();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    texts_.push_back(runtime_.tokenizer->decode(answers[i].tokens));
    if (group.asked[i].reference)
      details_.questions[group.asked[i].question].take_reference(texts_.back(), std::move(answers[i].tokens),
                                                                 answers[i].ended);
  }
  enter(Stage::grade);
  return {};
}

// The uncompressed reading of an answer serves every cell; past the limit it is read again.
Status ProfileTask::read_layer() {
  constexpr std::size_t most_bytes = std::size_t{256} << 20;
  const Group& group = groups_[group_];
  const std::size_t index = group.asked[item_].question;
  const CatalogueQuestion& question = details_.questions[index];
  if (reading_ == nullptr) {
    reading_original_ = !readings_.contains(index) && passing_reading_.positions == 0;
    reading_ = std::make_unique<ForcedReadTask>(runtime_, reading_original_ ? original_ : *compressed_, question.tokens,
                                                question.reference_tokens, question.reference_ended);
  }
  KV_TRY(reading_->step());
  if (!reading_->done()) return {};
  ForcedReading reading = reading_->take();
  reading_.reset();
  if (reading_original_) {
    const std::size_t bytes = reading.log_probabilities.size() * sizeof(float);
    if (reading.positions == 0 || reading_bytes_ + bytes <= most_bytes) {
      reading_bytes_ += bytes;
      readings_.emplace(index, std::move(reading));
    } else {
      passing_reading_ = std::move(reading);
    }
    return {};
  }
  const auto known = readings_.find(index);
  figures_.push_back(compare_readings(known == readings_.end() ? passing_reading_ : known->second, reading));
  passing_reading_ = {};
  if (++item_ == group.asked.size()) enter(Stage::grade);
  return {};
}

Status ProfileTask::grade_one() {
  const Group& group = groups_[group_];
  const Asked& asked = group.asked[item_];
  if (group.chance) {
    chance_scores_.push_back(logit_score(*metric_, figures_[item_]));
  } else if (asked.scored) {
    const CatalogueQuestion& question = details_.questions[asked.question];
    AnswerEvidence evidence{
        .answer = {}, .golds = question.golds(), .reference = question.reference_answer, .logits = {}};
    if (!texts_.empty()) evidence.answer = texts_[item_];
    if (metric_->basis == QualityBasis::logits) evidence.logits = reads() ? figures_[item_] : LogitFigures{};
    KV_ASSIGN(const auto score, meter_.score(*metric_, evidence));
    if (score) cells_[group.cell].scores.push_back(*score);
  }
  if (++item_ < group.asked.size()) return {};
  asked_forms_ += group.chance ? 0 : 1;
  if (!plan_.before.empty() && !group.chance && group.cell > 0) pass_over_smaller_forms();
  ++group_;
  enter(Stage::prepare);
  return {};
}

// Answers grow no better with less of the context.
void ProfileTask::pass_over_smaller_forms() {
  const auto measured = [&](std::size_t cell) { return mean_of(cells_[cell].scores); };
  const std::size_t last = groups_[group_].cell;
  const ProfilePoint& asked = cells_[last].point;
  const double quality = measured(last);
  bool hopeless = quality < lost_for_good * measured(0);
  for (std::size_t cell = 1; cell < last && !hopeless; ++cell)
    hopeless = !passed_over_.contains(cell) && cells_[cell].point.removed_fraction >= asked.removed_fraction &&
               quality < measured(cell) - far_behind;
  if (!hopeless) return;
  for (std::size_t next = group_ + 1; next < groups_.size() && !groups_[next].chance; ++next) {
    ProfilePoint& point = cells_[groups_[next].cell].point;
    const ProfileCell* before = find_cell(plan_.before, point);
    if (point.method != asked.method || before == nullptr) return;
    point.bytes = before->point.bytes;
    point.kept_tokens = before->point.kept_tokens;
    point.quality = point.quality_low = point.quality_high = std::min(quality, before->point.quality);
    passed_over_.insert(groups_[next].cell);
    group_ = next;
  }
}

Status ProfileTask::step(const Stop& stop) {
  if (done()) return {};
  switch (stage_) {
    case Stage::prepare:
      return prepare(stop);
    case Stage::score:
      return score_layer();
    case Stage::cut:
      return cut_layer();
    case Stage::code:
      return code_layer();
    case Stage::ask:
      return ask_layer();
    case Stage::read:
      return read_layer();
    case Stage::grade:
      return grade_one();
  }
  return {};
}

std::vector<ProfileCell> ProfileTask::take_cells() {
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    ProfileCell& cell = cells_[c];
    if (passed_over_.contains(c)) continue;
    const MeanWithInterval quality = mean_with_interval(cell.scores);
    cell.point.quality = quality.mean;
    cell.point.quality_low = quality.low;
    cell.point.quality_high = quality.high;
    cell.point.n = static_cast<int>(quality.n);
  }
  return std::move(cells_);
}

ContextProfile profile_of(std::span<const ProfileCell> cells) {
  ContextProfile profile;
  for (const ProfileCell& cell : cells) profile.points.push_back(cell.point);
  return profile;
}

}  // namespace kvantage
