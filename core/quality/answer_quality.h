// The quality of answers: scored after the answer is out, on the engine's thread, and counted apart. The clock of
// serving stands still meanwhile, so that no figure of it holds any of that, whoever else has a request in the batch.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/ports/stores.h"
#include "core/request/request_task.h"
#include "core/runtime/serving_clock.h"
#include "core/runtime/teacher_forcing.h"
#include "core/store/engine_services.h"
#include "core/text/quality_meter.h"

namespace kvantage::inline quality {

/// Scores answers against gold answers and against what the uncompressed cache answers, by the session's metric and by
/// every metric of words; remembers reference answers and what chance would score.
class AnswerQuality {
 public:
  /// profiles: where references are kept; null: nowhere. max_answer_tokens: of a question that says nothing of it.
  AnswerQuality(const EngineServices& services, ServingClock& serving_clock, QualityMeter& meter,
                ProfileStore* profiles, int max_answer_tokens)
      : services_(services),
        serving_clock_(serving_clock),
        meter_(meter),
        profiles_(profiles),
        max_answer_tokens_(max_answer_tokens) {}

  /// Another metric: what chance scores is forgotten, reference answers stay.
  void use_metric(const std::string& name);
  /// Fills in what `task` answered to a question of a context was worth. What fails is said once.
  void measure(RequestTask& task, std::size_t context, std::size_t question);
  /// What chance scores on a context's profile questions.
  ProfileChance chance_on(std::size_t context);
  /// Profiling measured that itself, and learned reference answers on the way.
  void learn(std::size_t context, const std::vector<double>& chance_scores);

  /// Reference answers and chance of this scope, from the profile store and back to it.
  Status load(const ProfileScope& scope);
  Status save(const ProfileScope& scope);

 private:
  Status measure_answer(RequestTask& task, std::size_t context, std::size_t question);
  Expected<std::optional<LogitFigures>> logits_of(RequestTask& task, std::size_t context, std::size_t question);
  Status find_reference(std::size_t context, std::size_t question);
  Expected<std::optional<double>> chance_of(const QualityMetric& metric, std::size_t context, std::size_t question);
  Expected<LogitFigures> read_over(const KvCache& cache, std::size_t context, std::size_t question);
  std::vector<std::string> other_answers(std::size_t context, std::size_t question, bool references_first) const;

  EngineServices services_;
  ServingClock& serving_clock_;
  QualityMeter& meter_;
  ProfileStore* profiles_;
  int max_answer_tokens_;
  std::string metric_;
  std::map<std::tuple<std::string, std::size_t, std::size_t>, double> chances_;  // by metric, context, question
  std::map<std::size_t, ProfileChance> measured_chances_;  // of metrics of predictions, by context
  bool failure_said_ = false;
};

}  // namespace kvantage::inline quality
