// Measures quality curves: for one context, every method and removed fraction, the answers to its profile questions
// (EvicPress section 4.3). The context is prefilled once, scored and sorted once per method, and all fractions are cut
// from that one order; then each question is asked on each compressed form, or, for metrics of predictions, its
// reference answer is read over it. A step of a task takes about as long as a layer of the model, so that an engine can
// put requests first; the questions of one form are answered together.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/compress/method.h"
#include "core/ports/stores.h"
#include "core/runtime/answer_task.h"
#include "core/runtime/catalogue.h"
#include "core/runtime/observing.h"
#include "core/runtime/teacher_forcing.h"
#include "core/text/quality_meter.h"

namespace kvantage {

struct ProfilePlan {
  std::vector<std::string> methods;       // text forms; "none" is always measured first
  std::vector<double> removed_fractions;  // without 0
  std::string quality_metric = "token_f1";
  int max_answer_tokens = 48;
  std::size_t questions = 0;            // at most so many per context; 0: all profile questions
  bool reference_answers = true;        // also answer the held-out questions with the uncompressed cache
  std::vector<std::size_t> asked = {};  // score these, by index, instead of the profile questions
  /// Cells of before, of the same context. Where they are given, the methods that did best are asked first, and a
  /// method's smaller forms are passed over where a larger one lost half of the answers or far more than another method
  /// at its size. A form passed over keeps its bytes, counts no questions (n = 0) and has at the most the quality of
  /// the last one asked.
  std::vector<ProfileCell> before = {};
};

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
  bool done() const { return group_ == groups_.size(); }

  /// After done(): one cell per method and removed fraction, ("none", 0) first.
  std::vector<ProfileCell> take_cells();
  /// Scores that chance gives, by question, for metrics of predictions: the reference answer read without the context.
  /// Empty for other metrics, whose chance needs no model.
  const std::vector<double>& chance_scores() const { return chance_scores_; }
  /// Forms that were asked so far, "none" among them; what is missing at the end was passed over.
  std::size_t asked_forms() const { return asked_forms_; }
  int scorings() const { return scorings_; }  // once per method, whatever the number of fractions
  int sorts() const { return sorts_; }        // one for each layer and KV head of a scoring

 private:
  struct Asked {
    std::size_t question = 0;  // index into details.questions
    bool reference = false;    // uncompressed answer, kept as the reference
    bool scored = true;        // enters the cell's quality
  };
  /// The questions of a cell; the last group has no cell where it is about what they tell without the context.
  struct Group {
    std::size_t cell = 0;
    bool chance = false;
    std::vector<Asked> asked;
  };
  enum class Stage { prepare, score, cut, code, ask, read, grade };
  using Stop = std::function<bool()>;
  void add_groups();
  Status prepare(const Stop& stop);
  Status score_layer();
  Status cut_layer();
  Status code_layer();
  Status ask_layer();
  Status read_layer();
  Status grade_one();
  void pass_over_smaller_forms();
  void enter(Stage stage);
  bool reads() const;  // the present group is measured by readings
  ProfilePoint& point() { return cells_[groups_[group_].cell].point; }

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
  std::vector<Group> groups_;
  std::set<std::size_t> passed_over_;  // cells

  std::size_t group_ = 0;
  Stage stage_ = Stage::prepare;
  int layer_ = 0;                         // the next one of the stage
  std::size_t item_ = 0;                  // the next question of the stage
  std::shared_ptr<const Method> method_;  // of the group's cell
  std::string scored_method_;
  LayerScores scores_;
  std::vector<KeptIndices> kept_;
  std::vector<std::uint64_t> encoded_;   // bytes of each layer's coded rows
  std::unique_ptr<KvCache> compressed_;  // what the group is asked on
  std::unique_ptr<AnswerTask> answers_;
  std::vector<std::string> texts_;  // of the group's answers
  std::unique_ptr<ForcedReadTask> reading_;
  bool reading_original_ = false;
  std::vector<LogitFigures> figures_;              // of the group's readings
  std::map<std::size_t, ForcedReading> readings_;  // of reference answers over the original, by question
  ForcedReading passing_reading_;                  // one that there was no room to keep
  std::size_t reading_bytes_ = 0;
  int scorings_ = 0, sorts_ = 0;
  std::size_t asked_forms_ = 0;
  std::vector<double> chance_scores_;
};

/// Quality curve of cells, with bootstrap intervals, as policies read it.
ContextProfile profile_of(std::span<const ProfileCell> cells);

}  // namespace kvantage
