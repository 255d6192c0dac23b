// Measures quality curves: for one context, every method and removed fraction, the answers to its profile questions
// (EvicPress section 4.3). The context is prefilled once, scored and sorted once per method, and all fractions are cut from
// that one order; then each question is asked on each compressed form, or, for metrics of predictions, its reference
// answer is read over it. A task does one answer per step, so that an engine can put requests first.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/compress/method.h"
#include "core/engine/catalogue.h"
#include "core/engine/observing.h"
#include "core/engine/teacher_forcing.h"
#include "core/ports/stores.h"
#include "core/text/quality_meter.h"

namespace kvantage {

struct ProfilePlan {
  std::vector<std::string> methods;        // text forms; "none" is always measured first
  std::vector<double> removed_fractions;   // without 0
  std::string quality_metric = "token_f1";
  int max_answer_tokens = 48;
  std::size_t questions = 0;               // at most so many per context; 0: all profile questions
  bool reference_answers = true;           // also answer the held-out questions with the uncompressed cache
};

class ProfileTask {
 public:
  /// cache: the context's original, outlives the task; observed: what is known beside it. What the plan's methods need
  /// and it lacks is observed at the first of them. details gets the reference answers.
  ProfileTask(ModelRuntime& runtime, QualityMeter& meter, const ContextState& state, ContextDetails& details,
              const KvCache& cache, Observation observed, ProfilePlan plan);

  /// One answer or one reading of a reference answer, with the cell's scores and cuts before the first of it. stop(): asked once a layer; true gives the answer up.
  Status step(const std::function<bool()>& stop);
  bool done() const { return next_ == jobs_.size(); }
  std::size_t steps_done() const { return next_; }
  std::size_t steps() const { return jobs_.size(); }

  /// After done(): one cell per method and removed fraction, ("none", 0) first.
  std::vector<ProfileCell> take_cells();
  /// Scores that chance gives, by question, for metrics of predictions: the reference answer read without the context. Empty
  /// for other metrics, whose chance needs no model.
  const std::vector<double>& chance_scores() const { return chance_scores_; }
  int scorings() const { return scorings_; }  // once per method, whatever the number of fractions
  int sorts() const { return sorts_; }        // one for each layer and KV head of a scoring

 private:
  struct Job {
    std::size_t cell = 0;
    std::size_t question = 0;  // index into details.questions
    bool reference = false;    // uncompressed answer, kept as the reference
    bool scored = true;        // enters the cell's quality
    bool chance = false;       // no cell: what the question tells without the context
  };
  using Stop = std::function<bool()>;
  Status run_job(const Job& job, const Stop& stop);
  Expected<std::string> answer(const KvCache& cache, CatalogueQuestion& question, bool reference, const Stop& stop);
  Expected<LogitFigures> read(const KvCache& cache, std::size_t question, const Stop& stop);
  Status prepare_cell(std::size_t cell, const Stop& stop);

  ModelRuntime& runtime_;
  QualityMeter& meter_;
  const ContextState& state_;
  ContextDetails& details_;
  const KvCache& original_;
  Observation observed_;
  ObservationNeeds needs_;  // of all methods of the plan
  ProfilePlan plan_;
  const QualityMetric* metric_;  // null: not known
  std::vector<ProfileCell> cells_;
  std::vector<Job> jobs_;
  std::size_t next_ = 0;
  std::size_t prepared_cell_ = 0;
  std::unique_ptr<KvCache> compressed_;
  std::string scored_method_;
  LayerScores scores_;
  int scorings_ = 0, sorts_ = 0;
  std::map<std::size_t, ForcedReading> readings_;  // of reference answers over the original, by question
  std::size_t reading_bytes_ = 0;
  std::unique_ptr<KvCache> without_context_;
  std::vector<double> chance_scores_;
};

/// Quality curve of cells, with bootstrap intervals, as policies read it.
ContextProfile profile_of(std::span<const ProfileCell> cells);

}  // namespace kvantage
