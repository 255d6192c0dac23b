// Answer quality, scored after the answer is complete, on the engine's thread. The serving clock stops meanwhile, so
// metrics of all running requests exclude it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/digest.h"
#include "core/base/json.h"
#include "core/ports/stores.h"
#include "core/quality/profiler_ports.h"
#include "core/quality/quality_curves.h"
#include "core/request/request_task.h"
#include "core/runtime/serving_clock.h"
#include "core/runtime/teacher_forcing.h"
#include "core/store/engine_services.h"
#include "core/text/quality_meter.h"

namespace kvantage::inline quality {

/// Scores answers against gold answers and against the uncompressed cache's answers, by the session's metric and every
/// word metric that takes gold answers; with by_task_metric also by each metric of its tasks. Caches reference answers
/// and chance scores.
class AnswerQuality final : public ChanceScores, public ReferenceAnswers {
 public:
  /// profiles: the store of references; null: none. max_answer_tokens: for questions without a limit.
  AnswerQuality(const EngineServices& services, ServingClock& serving_clock, QualityMeter& meter,
                ProfileStore* profiles, int max_answer_tokens)
      : services_(services),
        serving_clock_(serving_clock),
        meter_(meter),
        profiles_(profiles),
        max_answer_tokens_(max_answer_tokens) {}

  /// Switches the metric: drops chance scores, keeps reference answers.
  void use_metric(const std::string& name);
  /// Fills in the scores of `task`'s answer to a question of a context. Only the first failure is reported.
  void measure(RequestTask& task, std::size_t context, std::size_t question);
  ProfileChance chance_on(std::size_t context) override;
  void learn(std::size_t context, const std::vector<double>& chance_scores) override;

  /// Loads and saves reference answers and chance of this scope, each context's by itself. save() writes only what the
  /// store does not have yet, and looks only at contexts that were measured since.
  Status load(const ProfileScope& scope);
  Status save(const ProfileScope& scope) override;

 private:
  Status measure_answer(RequestTask& task, std::size_t context, std::size_t question);
  Expected<std::optional<LogitMetrics>> logits_of(RequestTask& task, std::size_t context, std::size_t question);
  Status find_reference(std::size_t context, std::size_t question);
  Expected<std::optional<double>> chance_of(const QualityMetric& metric, std::size_t context, std::size_t question);
  Expected<LogitMetrics> read_over(const KvCache& cache, std::size_t context, std::size_t question);
  Status save_changed(const std::string& key, const Json& value);
  std::vector<std::string> other_answers(std::size_t context, std::size_t question) const;
  /// Empty unless all are known, and below a minimum: chance does not depend on which requests came before.
  std::vector<std::string> other_references(std::size_t context, std::size_t question) const;

  EngineServices services_;
  ServingClock& serving_clock_;
  QualityMeter& meter_;
  ProfileStore* profiles_;
  int max_answer_tokens_;
  std::string metric_;
  std::map<std::tuple<std::string, std::size_t, std::size_t>, double> chances_;  // by metric, context, question
  std::map<std::size_t, ProfileChance> measured_chances_;                        // prediction metrics, by context
  std::set<std::size_t> unsaved_;            // contexts that the store may lack something of
  std::map<std::string, Digest128> stored_;  // what the store has, by key
  bool failure_said_ = false;
};

}  // namespace kvantage::inline quality
