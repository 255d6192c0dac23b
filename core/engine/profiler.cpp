#include "core/engine/profiler.h"

#include <algorithm>

#include "core/model/generate.h"

namespace kvantage {

ProfileTask::ProfileTask(ModelRuntime& runtime, const ContextState& state, ContextDetails& details,
                         const KvCache& cache, const WindowQueries& queries, ProfilePlan plan)
    : runtime_(runtime), state_(state), details_(details), original_(cache), queries_(queries), plan_(std::move(plan)) {
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
    if (method == "none") continue;
    for (const double fraction : plan_.removed_fractions)
      if (fraction > 0) add_cell(method, fraction);
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
  prepared_cell_ = cells_.size();
}

Status ProfileTask::prepare_cell(std::size_t cell) {
  if (prepared_cell_ == cell) return {};
  ProfilePoint& point = cells_[cell].point;
  compressed_.reset();
  if (point.method == "none") {
    compressed_ = std::make_unique<KvCache>(original_.share());
  } else {
    const auto method = parse_method(point.method);
    if (!method) return tl::unexpected(method.error());
    if (scored_method_ != point.method) {
      auto scores = (*method)->scores(original_, &queries_);
      if (!scores) return tl::unexpected(scores.error());
      scores_ = std::move(*scores);
      scored_method_ = point.method;
      ++scorings_;
    }
    auto compressed = compressed_copy(original_, scores_, **method, point.removed_fraction);
    if (!compressed) return tl::unexpected(compressed.error());
    compressed_ = std::make_unique<KvCache>(std::move(*compressed));
  }
  point.kept_tokens = compressed_->kept_mean();
  point.bytes = predicted_entry_bytes(original_.shape(), static_cast<std::size_t>(state_.tokens),
                                      static_cast<std::size_t>(point.kept_tokens), point.method.size());
  prepared_cell_ = cell;
  return {};
}

Expected<std::string> ProfileTask::answer(const KvCache& cache, const CatalogueQuestion& question,
                                          const std::function<bool()>& stop) {
  KvCache working = cache.share();
  GenerateOptions options;
  options.max_tokens = plan_.max_answer_tokens;
  options.stop_tokens = runtime_.stop_ids();
  options.chunk_tokens = runtime_.chunk_tokens();
  auto generation = generate(*runtime_.model, working, question.tokens, options,
                             [&stop](std::int32_t) { return !stop || !stop(); });
  if (!generation) return tl::unexpected(generation.error());
  if (generation->reason == FinishReason::cancelled) return fail(ErrorCode::cancelled, "profiling was stopped");
  return runtime_.tokenizer->decode(generation->tokens);
}

Status ProfileTask::step(const std::function<bool()>& stop) {
  if (done()) return {};
  const Job& job = jobs_[next_];
  KV_TRY(prepare_cell(job.cell));
  CatalogueQuestion& question = details_.questions[job.question];
  auto text = answer(*compressed_, question, stop);
  if (!text) return tl::unexpected(text.error());
  if (job.reference) question.reference_answer = *text;
  if (job.scored) {
    const QualityMetric* metric = find_quality_metric(plan_.quality_metric);
    if (metric == nullptr) return fail(ErrorCode::usage, "quality metric '" + plan_.quality_metric + "' is not known");
    cells_[job.cell].scores.push_back(metric->score(*text, question.gold));
  }
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
