// Measures quality curves: the answers to one context's profile questions for every method and removed fraction
// (EvicPress section 4.3). The context is prefilled once, and scored and sorted once per method; all fractions use that
// order. Then each question is answered on each compressed form or, for prediction metrics, its reference answer is
// read over it. A step takes about as long as a layer of the model, so that an engine can put requests first; the
// questions of one form are answered as a batch. Where prefills_together(), so are those of several forms.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/quality/compressed_forms.h"
#include "core/quality/form_batch.h"
#include "core/quality/profile_grid.h"
#include "core/text/quality_meter.h"

namespace kvantage::inline quality {

class ProfileTask {
 public:
  /// cache: the context's original, must outlive the task; observed: existing observations. Those that the plan's
  /// methods need and that are missing are made when first needed. details gets the reference answers.
  ProfileTask(ModelRuntime& runtime, QualityMeter& meter, const ContextFacts& facts, ContextDetails& details,
              const KvCache& cache, Observation observed, ProfilePlan plan, const ProfileWidth& width = {});

  /// About a layer's work: scoring, cutting, answering or reading. stop(): polled once per layer while a method needs
  /// additional observations; true cancels the task. no_space: the pool is full; the same step can be retried.
  Status step(const std::function<bool()>& stop = {});
  bool done() const { return grid_.done(); }

  /// After done(): one cell per method and removed fraction, ("none", 0) first, without those of failed methods.
  std::vector<ProfileCell> take_cells() { return grid_.take_cells(); }
  /// Chance scores of prediction metrics, by question: the reference answer read without the context. Empty for other
  /// metrics, whose chance needs no model.
  const std::vector<double>& chance_scores() const { return grid_.chance_scores(); }
  /// Methods that could not score the context, such as a file whose code failed; the others were measured.
  struct FailedMethod {
    std::string method, reason;
  };
  const std::vector<FailedMethod>& failed_methods() const { return failed_methods_; }
  /// Measured forms so far, "none" included; those missing at the end were skipped.
  std::size_t asked_forms() const { return grid_.asked_forms(); }
  int scorings() const { return forms_.scorings(); }  // one per method, whatever the number of fractions
  int sorts() const { return forms_.sorts(); }        // one per layer and KV head of a scoring

 private:
  enum class Stage { prepare, form, measure, grade };
  Status prepare(const std::function<bool()>& stop);
  Status make_form();
  Status form_failed(const Error& error, bool of_method);
  void take_form();
  void next_form();
  Status measure_layer();
  void take_answers();
  Status grade_one();
  void enter(Stage stage);
  bool reads(const ProfileGrid::Group& group) const;

  ModelRuntime& runtime_;
  QualityMeter& meter_;
  ContextDetails& details_;
  std::string quality_metric_;
  const QualityMetric* metric_;  // null: unknown
  FormBatch batch_;              // forms of the grid's next groups, in order
  ProfileGrid grid_;
  CompressedForms forms_;

  Stage stage_ = Stage::prepare;
  std::size_t item_ = 0;               // next question to grade
  std::vector<std::string> texts_;     // answers of the group
  std::vector<LogitMetrics> metrics_;  // readings of the group
  std::vector<FailedMethod> failed_methods_;
};

}  // namespace kvantage::inline quality
