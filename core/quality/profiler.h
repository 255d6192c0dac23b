// Measures quality curves: for one context, every method and removed fraction, the answers to its profile questions
// (EvicPress section 4.3). The context is prefilled once, scored and sorted once per method, and all fractions are cut
// from that one order; then each question is asked on each compressed form, or, for metrics of predictions, its
// reference answer is read over it. A step of a task takes about as long as a layer of the model, so that an engine can
// put requests first; the questions of one form are answered together.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/quality/answer_readings.h"
#include "core/quality/compressed_forms.h"
#include "core/quality/profile_grid.h"
#include "core/runtime/answer_task.h"
#include "core/text/quality_meter.h"

namespace kvantage::inline quality {

class ProfileTask {
 public:
  /// cache: the context's original, outlives the task; observed: what is known beside it. What the plan's methods need
  /// and it lacks is observed at the first of them. details gets the reference answers.
  ProfileTask(ModelRuntime& runtime, QualityMeter& meter, const ContextState& state, ContextDetails& details,
              const KvCache& cache, Observation observed, ProfilePlan plan);

  /// About a layer's work: of scoring, of cutting, of an answer, of a reading. stop(): asked once a layer where a
  /// method needs more of the model than was kept with the original; true gives the task up. no_space: the pool is
  /// full, and the same step may be tried again once it is not.
  Status step(const std::function<bool()>& stop = {});
  bool done() const { return grid_.done(); }

  /// After done(): one cell per method and removed fraction, ("none", 0) first.
  std::vector<ProfileCell> take_cells() { return grid_.take_cells(); }
  /// Scores that chance gives, by question, for metrics of predictions: the reference answer read without the context.
  /// Empty for other metrics, whose chance needs no model.
  const std::vector<double>& chance_scores() const { return grid_.chance_scores(); }
  /// Forms that were asked so far, "none" among them; what is missing at the end was passed over.
  std::size_t asked_forms() const { return grid_.asked_forms(); }
  int scorings() const { return forms_.scorings(); }  // once per method, whatever the number of fractions
  int sorts() const { return forms_.sorts(); }        // one for each layer and KV head of a scoring

 private:
  enum class Stage { prepare, form, ask, read, grade };
  Status prepare(const std::function<bool()>& stop);
  Status make_form();
  Status ask_layer();
  Status read_layer();
  Status grade_one();
  void begin_answers();
  void measure_form();
  void enter(Stage stage);
  bool reads() const;

  ModelRuntime& runtime_;
  QualityMeter& meter_;
  ContextDetails& details_;
  std::string quality_metric_;
  const QualityMetric* metric_;  // null: not known
  int max_answer_tokens_;
  ProfileGrid grid_;
  CompressedForms forms_;
  AnswerReadings readings_;

  Stage stage_ = Stage::prepare;
  std::size_t item_ = 0;  // the next question of the stage
  std::unique_ptr<AnswerTask> answers_;
  std::vector<std::string> texts_;     // of the group's answers
  std::vector<LogitFigures> figures_;  // of the group's readings
};

}  // namespace kvantage::inline quality
