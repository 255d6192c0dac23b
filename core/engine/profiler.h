// Measures quality curves: for one context, every method and removed fraction, the answers to its profile questions
// (EvicPress section 4.3). The context is prefilled once, scored once per method, and all fractions are cut from that
// one score; then each question is asked on each compressed form. A task does one answer per step, so that an engine
// can put requests first.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/compress/method.h"
#include "core/engine/catalogue.h"
#include "core/engine/model_runtime.h"
#include "core/ports/stores.h"
#include "core/text/quality.h"

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
  /// cache, queries: the context's original; both must outlive the task. details gets the reference answers.
  ProfileTask(ModelRuntime& runtime, const ContextState& state, ContextDetails& details, const KvCache& cache,
              const WindowQueries& queries, ProfilePlan plan);

  /// One answer, or one method's scores and cuts. stop(): asked once a layer; true gives the answer up.
  Status step(const std::function<bool()>& stop);
  bool done() const { return next_ == jobs_.size(); }
  std::size_t steps_done() const { return next_; }
  std::size_t steps() const { return jobs_.size(); }

  /// After done(): one cell per method and removed fraction, ("none", 0) first.
  std::vector<ProfileCell> take_cells();
  int scorings() const { return scorings_; }  // once per method, whatever the number of fractions

 private:
  struct Job {
    std::size_t cell = 0;
    std::size_t question = 0;  // index into details.questions
    bool reference = false;    // uncompressed answer, kept as the reference
    bool scored = true;        // enters the cell's quality
  };
  Expected<std::string> answer(const KvCache& cache, const CatalogueQuestion& question,
                               const std::function<bool()>& stop);
  Status prepare_cell(std::size_t cell);

  ModelRuntime& runtime_;
  const ContextState& state_;
  ContextDetails& details_;
  const KvCache& original_;
  const WindowQueries& queries_;
  ProfilePlan plan_;
  std::vector<ProfileCell> cells_;
  std::vector<Job> jobs_;
  std::size_t next_ = 0;
  std::size_t prepared_cell_ = 0;
  std::unique_ptr<KvCache> compressed_;
  std::string scored_method_;
  LayerScores scores_;
  int scorings_ = 0;
};

/// Quality curve of cells, with bootstrap intervals, as policies read it.
ContextProfile profile_of(std::span<const ProfileCell> cells);

}  // namespace kvantage
