#include "core/engine/profiler.h"

#include <algorithm>

#include "core/model/generate.h"

namespace kvantage {

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
  for (const std::string& method : plan_.methods) {
    const auto parsed = parse_method(method);
    if (method == "none" || !parsed) continue;  // unknown ones were refused with the settings
    needs_.include((*parsed)->info().needs);    // all that any cell needs is observed at once
    for (const double fraction : (*parsed)->fractions_of(plan_.removed_fractions)) add_cell(method, fraction);
  }
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
    std::size_t asked = 0;
    for (std::size_t question = 0; question < details.questions.size(); ++question) {
      const bool held_out = details.questions[question].held_out;
      const bool scored = !held_out && (plan_.questions == 0 || asked < plan_.questions);
      const bool reference = cell == 0 && (scored || plan_.reference_answers);
      if (!scored && !reference) continue;
      if (scored) ++asked;
      jobs_.push_back({cell, question, reference, scored});
    }
  }
  if (metric_ != nullptr && metric_->basis == QualityBasis::logits)
    for (const Job job : std::vector(jobs_))
      if (job.cell == 0 && job.scored) jobs_.push_back({.question = job.question, .chance = true});
  prepared_cell_ = cells_.size();
}

Status ProfileTask::prepare_cell(std::size_t cell, const Stop& stop) {
  if (prepared_cell_ == cell) return {};
  ProfilePoint& point = cells_[cell].point;
  compressed_.reset();
  const auto tokens = static_cast<std::size_t>(state_.tokens);
  if (point.method == "none") {
    compressed_ = std::make_unique<KvCache>(original_.share());
    point.kept_tokens = original_.kept_mean();
    point.bytes = predicted_entry_bytes(original_.shape(), tokens, tokens, point.method.size());
  } else {
    const auto method = parse_method(point.method);
    if (!method) return tl::unexpected(method.error());
    if (scored_method_ != point.method) {
      KV_TRY(complete_observation(runtime_, original_, details_.tokens, needs_, observed_, stop));
      auto scores = (*method)->scores(original_, observed_);
      if (!scores) return tl::unexpected(scores.error());
      scores_ = std::move(*scores);
      scored_method_ = point.method;
      ++scorings_;
      sorts_ += scores_.sorts;
    }
    auto compressed = compressed_copy(original_, scores_, **method, point.removed_fraction);
    if (!compressed) return tl::unexpected(compressed.error());
    point.kept_tokens = compressed->kept_mean();
    if ((*method)->codec() == nullptr) {
      const auto bytes = entry_bytes(*compressed, point.method.size(), *parse_codec("bf16").value());
      if (!bytes) return tl::unexpected(bytes.error());
      point.bytes = *bytes;
    }
    std::vector<std::uint64_t> encoded;
    auto read = as_read(std::move(*compressed), **method, observed_.frequencies, &encoded);
    if (!read) return tl::unexpected(read.error());
    if ((*method)->codec() != nullptr)
      point.bytes = recoded_entry_bytes(original_.shape(), tokens, point.method.size(), *(*method)->codec(), encoded);
    compressed_ = std::make_unique<KvCache>(std::move(*read));
  }
  prepared_cell_ = cell;
  return {};
}

Expected<std::string> ProfileTask::answer(const KvCache& cache, CatalogueQuestion& question, bool reference,
                                          const Stop& stop) {
  KvCache working = cache.share();
  GenerateOptions options;
  options.max_tokens = question.max_answer_tokens > 0 ? question.max_answer_tokens : plan_.max_answer_tokens;
  options.stop_tokens = runtime_.stop_ids();
  options.chunk_tokens = runtime_.chunk_tokens();
  auto generation = generate(*runtime_.model, working, question.tokens, options,
                             [&stop](std::int32_t) { return !stop || !stop(); });
  if (!generation) return tl::unexpected(generation.error());
  if (generation->reason == FinishReason::cancelled) return fail(ErrorCode::cancelled, "profiling was stopped");
  std::string text = runtime_.tokenizer->decode(generation->tokens);
  if (reference) question.take_reference(text, std::move(generation->tokens), generation->reason == FinishReason::stop);
  return text;
}

// The uncompressed reading of an answer serves every cell; past the limit it is read again.
Expected<LogitFigures> ProfileTask::read(const KvCache& cache, std::size_t index, const Stop& stop) {
  constexpr std::size_t most_bytes = std::size_t{256} << 20;
  const CatalogueQuestion& question = details_.questions[index];
  const auto read_over = [&](const KvCache& over) {
    return read_forced(runtime_, over, question.tokens, question.reference_tokens, question.reference_ended, stop);
  };
  auto known = readings_.find(index);
  ForcedReading fresh;
  if (known == readings_.end()) {
    auto reading = read_over(original_);
    if (!reading) return tl::unexpected(reading.error());
    const std::size_t bytes = reading->log_probabilities.size() * sizeof(float);
    if (reading_bytes_ + bytes <= most_bytes) {
      reading_bytes_ += bytes;
      known = readings_.emplace(index, std::move(*reading)).first;
    } else {
      fresh = std::move(*reading);
    }
  }
  const auto compressed = read_over(cache);
  if (!compressed) return tl::unexpected(compressed.error());
  return compare_readings(known == readings_.end() ? fresh : known->second, *compressed);
}

Status ProfileTask::run_job(const Job& job, const Stop& stop) {
  if (metric_ == nullptr) return fail(ErrorCode::usage, "quality metric '" + plan_.quality_metric + "' is not known");
  CatalogueQuestion& question = details_.questions[job.question];
  AnswerEvidence evidence{.answer = {}, .golds = question.golds(), .reference = {}, .logits = {}};
  if (job.chance) {
    if (without_context_ == nullptr) {
      auto cache = cache_without_context(runtime_, stop);
      if (!cache) return tl::unexpected(cache.error());
      without_context_ = std::make_unique<KvCache>(std::move(*cache));
    }
    const auto figures = read(*without_context_, job.question, stop);
    if (!figures) return tl::unexpected(figures.error());
    chance_scores_.push_back(logit_score(*metric_, *figures));
    return {};
  }
  KV_TRY(prepare_cell(job.cell, stop));
  const bool uncompressed = job.cell == 0;
  if (uncompressed || metric_->basis != QualityBasis::logits) {
    auto text = answer(*compressed_, question, job.reference, stop);
    if (!text) return tl::unexpected(text.error());
    evidence.answer = std::move(*text);
  }
  if (!job.scored) return {};
  evidence.reference = question.reference_answer;
  if (metric_->basis == QualityBasis::logits) {
    auto figures = uncompressed ? Expected<LogitFigures>(LogitFigures{}) : read(*compressed_, job.question, stop);
    if (!figures) return tl::unexpected(figures.error());
    evidence.logits = *figures;
  }
  const auto score = meter_.score(*metric_, evidence);
  if (!score) return tl::unexpected(score.error());
  if (*score) cells_[job.cell].scores.push_back(**score);
  return {};
}

Status ProfileTask::step(const Stop& stop) {
  if (done()) return {};
  KV_TRY(run_job(jobs_[next_], stop));
  ++next_;
  return {};
}

std::vector<ProfileCell> ProfileTask::take_cells() {
  for (ProfileCell& cell : cells_) {
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
