// The quality of answers: scored after the answer is out, on the engine's thread, and counted apart. The clock of
// serving stands still meanwhile, so that no figure of it holds any of that, whoever is under way.
#include <algorithm>

#include "core/compress/method.h"
#include "core/engine/engine_worker.h"
#include "core/model/generate.h"

namespace kvantage {

void Engine::Worker::measure(const Running& request) {
  RequestTask& task = *request.task;
  const std::int64_t start = clock_.monotonic_ns();
  CatalogueQuestion& question = catalogue_->details(request.arrived.context).questions[request.arrived.question];
  RequestRecord& record = task.record();
  if (holds_original(record.method, record.removed_fraction))  // uncompressed: it is the reference
    question.take_reference(record.answer, task.answer_tokens(), task.answer_ended());
  if (const Status measured = measure_answer(request);
      !measured && measured.error().code != ErrorCode::cancelled && !measuring_failed_) {
    measuring_failed_ = true;
    events_.publish(events::Message{"error", "quality is incomplete: " + measured.error().message});
  }
  record.reference_answer = question.reference_answer.value_or("");
  const std::int64_t took = clock_.monotonic_ns() - start;
  record.timing.measuring_seconds = static_cast<double>(took) * 1e-9;
  serving_clock_.leave_out(took);
}

Status Engine::Worker::measure_answer(const Running& request) {
  RequestTask& task = *request.task;
  const std::size_t context = request.arrived.context, asked = request.arrived.question;
  RequestRecord& record = task.record();
  CatalogueQuestion& question = catalogue_->details(context).questions[asked];
  KV_TRY(find_reference(context, asked));
  AnswerEvidence evidence{
      .answer = record.answer, .golds = question.golds(), .reference = question.reference_answer, .logits = {}};
  for (const QualityMetric& metric : quality_metrics()) {
    const bool chosen = metric.name == settings_.quality_metric;
    if (metric.basis != QualityBasis::words && !chosen) continue;  // they take model runs
    if (metric.basis == QualityBasis::logits && question.reference_readable()) {
      if (holds_original(record.method, record.removed_fraction)) {
        evidence.logits = LogitFigures{};
      } else {
        const auto figures = read_over(task.cache(), context, asked);
        if (!figures) return tl::unexpected(figures.error());
        evidence.logits = *figures;
      }
    }
    const auto score = meter_.score(metric, evidence);
    if (!score) return tl::unexpected(score.error());
    if (*score) record.quality[metric.name] = **score;
    if (question.reference_answer) {
      AnswerEvidence uncompressed = evidence;
      uncompressed.answer = *question.reference_answer;
      uncompressed.logits = LogitFigures{};
      const auto baseline = meter_.score(metric, uncompressed);
      if (!baseline) return tl::unexpected(baseline.error());
      if (*baseline && *score) record.quality_uncompressed[metric.name] = **baseline;
    }
    const auto chance = chance_of(metric, context, asked);
    if (!chance) return tl::unexpected(chance.error());
    if (*chance && *score) record.quality_chance[metric.name] = **chance;
  }
  return {};
}

// What the uncompressed cache answers, computed once a question where the original is at hand.
Status Engine::Worker::find_reference(std::size_t context, std::size_t index) {
  CatalogueQuestion& question = catalogue_->details(context).questions[index];
  const QualityMetric* chosen = find_quality_metric(settings_.quality_metric);
  const bool read = chosen != nullptr && chosen->basis == QualityBasis::logits;
  if (question.reference_answer && (!read || question.reference_readable())) return {};
  const auto original = store_->original(context);
  if (!original) return original.error().code == ErrorCode::not_found ? Status{} : tl::unexpected(original.error());
  KvCache working = (*original)->cache.share();
  GenerateOptions options;
  options.max_tokens = question.max_answer_tokens > 0 ? question.max_answer_tokens : engine_.config_.max_answer_tokens;
  options.stop_tokens = runtime_->stop_ids();
  options.chunk_tokens = runtime_->chunk_tokens();
  auto answer =
      generate(*runtime_->model, working, question.tokens, options, [this](std::int32_t) { return !interrupted(); });
  if (!answer) return tl::unexpected(answer.error());
  if (answer->reason == FinishReason::cancelled) return fail(ErrorCode::cancelled, "stopped");
  std::string text = runtime_->tokenizer->decode(answer->tokens);
  question.take_reference(std::move(text), std::move(answer->tokens), answer->reason == FinishReason::stop);
  return {};
}

Expected<LogitFigures> Engine::Worker::read_over(const KvCache& cache, std::size_t context, std::size_t index) {
  const CatalogueQuestion& question = catalogue_->details(context).questions[index];
  const auto stop = [this] { return interrupted(); };
  const auto read = [&](const KvCache& over) {
    return read_forced(*runtime_, over, question.tokens, question.reference_tokens, question.reference_ended, stop);
  };
  const auto original = store_->original(context);
  if (!original) return tl::unexpected(original.error());
  const auto uncompressed = read((*original)->cache);
  if (!uncompressed) return tl::unexpected(uncompressed.error());
  const auto compressed = read(cache);
  if (!compressed) return tl::unexpected(compressed.error());
  return compare_readings(*uncompressed, *compressed);
}

// Answers that are expected of the other questions of the family.
std::vector<std::string> Engine::Worker::other_answers(std::size_t context, std::size_t index,
                                                       bool references_first) const {
  std::vector<std::string> answers;
  for (std::size_t c = 0; c < catalogue_->size(); ++c) {
    if (catalogue_->state(c).family != catalogue_->state(context).family) continue;
    const auto& questions = catalogue_->details(c).questions;
    for (std::size_t q = 0; q < questions.size(); ++q) {
      if (c == context && q == index) continue;
      const auto& reference = questions[q].reference_answer;
      if (reference && (references_first || questions[q].gold.empty()))
        answers.push_back(*reference);
      else if (!questions[q].gold.empty())
        answers.push_back(questions[q].gold);
    }
  }
  return answers;
}

Expected<std::optional<double>> Engine::Worker::chance_of(const QualityMetric& metric, std::size_t context,
                                                          std::size_t index) {
  const auto key = std::tuple(metric.name, context, index);
  if (const auto known = chances_.find(key); known != chances_.end()) return known->second;
  const CatalogueQuestion& question = catalogue_->details(context).questions[index];
  std::optional<double> chance;
  if (metric.basis == QualityBasis::logits) {
    if (!question.reference_readable()) return std::nullopt;
    const auto empty = cache_without_context(*runtime_, [this] { return interrupted(); });
    if (!empty) return tl::unexpected(empty.error());
    const auto figures = read_over(*empty, context, index);
    if (!figures)
      return figures.error().code == ErrorCode::not_found ? Expected<std::optional<double>>(std::nullopt)
                                                          : tl::unexpected(figures.error());
    chance = logit_score(metric, *figures);
  } else {
    const AnswerEvidence evidence{
        .answer = {}, .golds = question.golds(), .reference = question.reference_answer, .logits = {}};
    const bool meaning = metric.basis == QualityBasis::embeddings;
    auto scored = meter_.chance(metric, evidence, other_answers(context, index, meaning));
    if (!scored) return tl::unexpected(scored.error());
    chance = *scored;
  }
  if (chance) chances_[key] = *chance;
  return chance;
}

ProfileChance Engine::Worker::profile_chance(std::size_t context) {
  const QualityMetric* metric = find_quality_metric(settings_.quality_metric);
  if (metric == nullptr) return {};
  if (metric->basis == QualityBasis::logits) {
    const auto known = measured_chances_.find(context);
    return known == measured_chances_.end() ? ProfileChance{} : known->second;
  }
  std::vector<double> scores;
  const auto& questions = catalogue_->details(context).questions;
  for (std::size_t q = 0; q < questions.size(); ++q) {
    if (questions[q].held_out) continue;
    if (const auto chance = chance_of(*metric, context, q); chance && *chance) scores.push_back(**chance);
  }
  const MeanWithInterval mean = mean_with_interval(scores);
  return {mean.mean, mean.low, mean.high, static_cast<int>(mean.n)};
}

}  // namespace kvantage
