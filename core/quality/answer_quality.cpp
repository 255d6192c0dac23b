#include "core/quality/answer_quality.h"

#include <algorithm>
#include <utility>

#include "core/compress/method.h"
#include "core/model/generate.h"
#include "core/policy/types_json.h"

namespace kvantage::inline quality {
namespace {

std::string reference_key(const ProfileScope& scope) {
  return "reference_answers/" + scope.model.hex() + "/" + scope.workload.hex();
}
std::string chance_key(const ProfileScope& scope) {
  return "quality_chance/" + scope.quality_metric + "/" + scope.model.hex() + "/" + scope.workload.hex();
}
std::string of_context(const std::string& key, const std::string& id) { return key + "/" + id; }

Digest128 stored_digest(const Json& value) { return digest_of(dump_json(value)); }

bool has_references(const ContextDetails& details) {
  return std::ranges::any_of(details.questions,
                             [](const CatalogQuestion& question) { return question.reference_answer.has_value(); });
}

/// prefix: of the names in the object, before the question.
void take_references(const Json& references, const std::string& prefix, ContextDetails& details) {
  if (!references.is_object()) return;
  for (CatalogQuestion& question : details.questions)
    if (const auto found = references.find(prefix + question.text); found != references.end() && found->is_string())
      question.reference_answer = found->get<std::string>();
}

// Fewer answers to other questions say too little about chance.
constexpr std::size_t min_other_references = 4;

ProfileChance chance_from(const std::vector<double>& scores) {
  const MeanWithInterval mean = mean_with_interval(scores);
  return {mean.mean, mean.low, mean.high, static_cast<int>(mean.n)};
}

}  // namespace

void AnswerQuality::use_metric(const std::string& name) {
  metric_ = name;
  chances_.clear();
  measured_chances_.clear();
}

void AnswerQuality::learn(std::size_t context, const std::vector<double>& chance_scores) {
  const auto known = measured_chances_.find(context);
  const int before = known == measured_chances_.end() ? 0 : known->second.n;
  // A batch of few questions does not replace the chance of more.
  if (!chance_scores.empty() && static_cast<int>(chance_scores.size()) >= before)
    measured_chances_[context] = chance_from(chance_scores);
  unsaved_.insert(context);
  chances_.clear();  // without gold answers, chance depends on the reference answers, which have just changed
}

void AnswerQuality::measure(RequestTask& task, std::size_t context, std::size_t asked) {
  const std::int64_t start = services_.clock.monotonic_ns();
  CatalogQuestion& question = services_.catalog.details(context).questions[asked];
  const CacheUse& use = task.record();
  const GivenAnswer& given = task.record();
  // An uncompressed answer is the reference.
  if (holds_original(use.method, use.removed_fraction) && task.record().decoding.eviction.empty())
    question.take_reference(given.answer, task.decode().answer_tokens(), task.decode().answer_ended());
  if (const Status measured = measure_answer(task, context, asked);
      !measured && measured.error().code != ErrorCode::cancelled && !std::exchange(failure_said_, true))
    services_.events.publish(events::Message{"error", "quality is incomplete: " + measured.error().message});
  unsaved_.insert(context);
  task.record().reference_answer = question.reference_answer.value_or("");
  const std::int64_t took = services_.clock.monotonic_ns() - start;
  task.record().timing.measuring_seconds = static_cast<double>(took) * 1e-9;
  serving_clock_.leave_out(took);
}

Expected<std::optional<LogitMetrics>> AnswerQuality::logits_of(RequestTask& task, std::size_t context,
                                                               std::size_t asked) {
  if (!services_.catalog.details(context).questions[asked].reference_readable()) return std::nullopt;
  // The cache after the answer is not the one that each of its tokens was read from.
  if (!task.record().decoding.eviction.empty()) return std::nullopt;
  const CacheUse& use = task.record();
  if (holds_original(use.method, use.removed_fraction)) return LogitMetrics{};
  KV_ASSIGN(const auto metrics, read_over(task.cache(), context, asked));
  return metrics;
}

Status AnswerQuality::measure_answer(RequestTask& task, std::size_t context, std::size_t asked) {
  AnswerScores& scores = task.record();
  const GivenAnswer& given = task.record();
  CatalogQuestion& question = services_.catalog.details(context).questions[asked];
  KV_TRY(find_reference(context, asked));
  AnswerEvidence evidence{.answer = given.answer,
                          .golds = question.golds(),
                          .reference = question.reference_answer,
                          .logits = {},
                          .family = services_.catalog.facts(context).family};
  for (const QualityMetric& metric : quality_metrics()) {
    const bool chosen =
        metric.name == metric_ || (metric_ == by_task_metric && is_scored_by_task(metric, evidence.family));
    if (metric.compares_with_reference() && !chosen) continue;  // most of these require model runs or a parser
    if (metric.basis == QualityBasis::logits) {
      KV_ASSIGN(const auto metrics, logits_of(task, context, asked));
      if (metrics) evidence.logits = *metrics;
    }
    KV_ASSIGN(const auto score, meter_.score(metric, evidence));
    if (score) scores.quality[metric.name] = *score;
    if (question.reference_answer) {
      AnswerEvidence uncompressed = evidence;
      uncompressed.answer = *question.reference_answer;
      uncompressed.logits = LogitMetrics{};
      KV_ASSIGN(const auto baseline, meter_.score(metric, uncompressed));
      if (baseline && score) scores.quality_uncompressed[metric.name] = *baseline;
    }
    KV_ASSIGN(const auto chance, chance_of(metric, context, asked));
    if (chance && score) scores.quality_chance[metric.name] = *chance;
  }
  return {};
}

// The answer with the uncompressed cache, computed once per question if the original is in memory.
Status AnswerQuality::find_reference(std::size_t context, std::size_t index) {
  CatalogQuestion& question = services_.catalog.details(context).questions[index];
  const QualityMetric* chosen = find_quality_metric(metric_);
  const bool read = chosen != nullptr && chosen->basis == QualityBasis::logits;
  if (question.reference_answer && (!read || question.reference_readable())) return {};
  const auto original = services_.store.originals().get(context, services_.interrupted);
  if (!original) return original.error().code == ErrorCode::not_found ? Status{} : tl::unexpected(original.error());
  KvCache working = (*original)->cache.share();
  GenerateOptions options;
  options.max_tokens = question.max_answer_tokens > 0 ? question.max_answer_tokens : max_answer_tokens_;
  options.stop_tokens = services_.runtime.stop_ids();
  options.chunk_tokens = services_.runtime.chunk_tokens();
  KV_ASSIGN(auto answer, generate(*services_.runtime.model, working, question.tokens, options,
                                  [this](std::int32_t) { return !services_.interrupted(); }));
  if (answer.reason == FinishReason::cancelled) return fail(ErrorCode::cancelled, "stopped");
  std::string text = services_.runtime.tokenizer->decode(answer.tokens);
  question.take_reference(std::move(text), std::move(answer.tokens), answer.reason == FinishReason::stop);
  return {};
}

Expected<LogitMetrics> AnswerQuality::read_over(const KvCache& cache, std::size_t context, std::size_t index) {
  const CatalogQuestion& question = services_.catalog.details(context).questions[index];
  const auto stop = [this] { return services_.interrupted(); };
  const auto read = [&](const KvCache& over) {
    return read_forced(services_.runtime, over, question.tokens, question.reference_tokens, question.reference_ended,
                       stop);
  };
  KV_ASSIGN(const auto original, services_.store.originals().get(context, stop));
  KV_ASSIGN(const auto uncompressed, read(original->cache));
  KV_ASSIGN(const auto compressed, read(cache));
  return compare_readings(uncompressed, compressed);
}

// Expected answers to the other questions of the family.
std::vector<std::string> AnswerQuality::other_answers(std::size_t context, std::size_t index) const {
  std::vector<std::string> answers;
  for (std::size_t c = 0; c < services_.catalog.size(); ++c) {
    if (services_.catalog.facts(c).family != services_.catalog.facts(context).family) continue;
    const auto& questions = services_.catalog.details(c).questions;
    for (std::size_t q = 0; q < questions.size(); ++q) {
      if (c == context && q == index) continue;
      if (!questions[q].gold.empty())
        answers.push_back(questions[q].gold);
      else if (questions[q].reference_answer)
        answers.push_back(*questions[q].reference_answer);
    }
  }
  return answers;
}

// Uncompressed answers to the other profile questions of the family, which profiling measures. Those to held-out
// questions depend on what was asked before: policies that differ in that would have different chances on one question.
std::vector<std::string> AnswerQuality::other_references(std::size_t context, std::size_t index) const {
  std::vector<std::string> answers;
  for (std::size_t c = 0; c < services_.catalog.size(); ++c) {
    if (services_.catalog.facts(c).family != services_.catalog.facts(context).family) continue;
    const auto& questions = services_.catalog.details(c).questions;
    for (std::size_t q = 0; q < questions.size(); ++q) {
      if (questions[q].held_out || (c == context && q == index)) continue;
      if (!questions[q].reference_answer) return {};
      answers.push_back(*questions[q].reference_answer);
    }
  }
  return answers.size() < min_other_references ? std::vector<std::string>() : answers;
}

Expected<std::optional<double>> AnswerQuality::chance_of(const QualityMetric& metric, std::size_t context,
                                                         std::size_t index) {
  const auto key = std::tuple(metric.name, context, index);
  if (const auto known = chances_.find(key); known != chances_.end()) return known->second;
  const CatalogQuestion& question = services_.catalog.details(context).questions[index];
  std::optional<double> chance;
  if (metric.basis == QualityBasis::logits) {
    if (!question.reference_readable()) return std::nullopt;
    KV_ASSIGN(const auto empty, cache_without_context(services_.runtime, [this] { return services_.interrupted(); }));
    const auto metrics = read_over(empty, context, index);
    if (!metrics)
      return metrics.error().code == ErrorCode::not_found ? Expected<std::optional<double>>(std::nullopt)
                                                          : tl::unexpected(metrics.error());
    chance = logit_score(metric, *metrics);
  } else {
    const AnswerEvidence evidence{.answer = {},
                                  .golds = question.golds(),
                                  .reference = question.reference_answer,
                                  .logits = {},
                                  .family = services_.catalog.facts(context).family};
    const auto others =
        metric.compares_with_reference() ? other_references(context, index) : other_answers(context, index);
    KV_ASSIGN(const auto scored, meter_.chance(metric, evidence, others));
    chance = scored;
  }
  if (chance) chances_[key] = *chance;
  return chance;
}

ProfileChance AnswerQuality::chance_on(std::size_t context) {
  const QualityMetric* metric = find_quality_metric(metric_);
  if (metric == nullptr) return {};
  if (metric->basis == QualityBasis::logits) {
    const auto known = measured_chances_.find(context);
    return known == measured_chances_.end() ? ProfileChance{} : known->second;
  }
  std::vector<double> scores;
  const auto& questions = services_.catalog.details(context).questions;
  for (std::size_t q = 0; q < questions.size(); ++q) {
    if (questions[q].held_out) continue;
    if (const auto chance = chance_of(*metric, context, q); chance && *chance) scores.push_back(**chance);
  }
  return chance_from(scores);
}

// Reference answers do not depend on the metric. Chance of prediction metrics does; both require model runs, so both
// are stored. Earlier versions stored those of all contexts as one value.
Status AnswerQuality::load(const ProfileScope& scope) {
  if (profiles_ == nullptr) return {};
  stored_.clear();
  unsaved_.clear();
  KV_ASSIGN(const auto all_references, profiles_->load_value(reference_key(scope)));
  KV_ASSIGN(const auto all_chances, profiles_->load_value(chance_key(scope)));
  for (std::size_t c = 0; c < services_.catalog.size(); ++c) {
    const std::string& id = services_.catalog.facts(c).id;
    ContextDetails& details = services_.catalog.details(c);
    if (has_references(details)) unsaved_.insert(c);  // asked under another scope
    const std::string references = of_context(reference_key(scope), id), chances = of_context(chance_key(scope), id);
    if (all_references) take_references(*all_references, id + "\n", details);
    KV_ASSIGN(const auto own_references, profiles_->load_value(references));
    if (own_references) {
      take_references(*own_references, "", details);
      stored_[references] = stored_digest(*own_references);
    }
    KV_ASSIGN(const auto own_chance, profiles_->load_value(chances));
    if (own_chance) stored_[chances] = stored_digest(*own_chance);
    const bool in_all = all_chances && all_chances->is_object() && all_chances->contains(id);
    ProfileChance chance;
    if ((own_chance || in_all) && json_into(own_chance ? *own_chance : (*all_chances)[id], chance, "chance of " + id))
      measured_chances_[c] = chance;
  }
  return {};
}

Status AnswerQuality::save_changed(const std::string& key, const Json& value) {
  const Digest128 digest = stored_digest(value);
  if (const auto known = stored_.find(key); known != stored_.end() && known->second == digest) return {};
  KV_TRY(profiles_->save_value(key, value));
  stored_[key] = digest;
  return {};
}

Status AnswerQuality::save(const ProfileScope& scope) {
  if (profiles_ == nullptr) return {};
  while (!unsaved_.empty()) {
    const std::size_t context = *unsaved_.begin();
    const std::string& id = services_.catalog.facts(context).id;
    Json references = Json::object();
    for (const CatalogQuestion& question : services_.catalog.details(context).questions)
      if (question.reference_answer) references[question.text] = *question.reference_answer;
    if (!references.empty()) KV_TRY(save_changed(of_context(reference_key(scope), id), references));
    if (const auto chance = measured_chances_.find(context); chance != measured_chances_.end())
      KV_TRY(save_changed(of_context(chance_key(scope), id), json_from(chance->second)));
    unsaved_.erase(context);
  }
  return {};
}

}  // namespace kvantage::inline quality
