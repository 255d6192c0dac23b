// The policies of EvicPress on the same requests under each budget. Figures 7, 9, 11 and 12 are views of these runs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/experiments/policy_figures.h"
#include "core/experiments/studies/quality_experiment.h"
#include "core/experiments/studies/study_cells.h"

namespace kvantage::inline evicpress_figures {

inline constexpr const char* about_policy_runs =
    "Full prefill, LRU, LFU, S3-FIFO, GDSF, every fixed configuration + LRU, IMPRESS, AdaptCache and evicpress serve "
    "the same requests under each budget. IMPRESS stores contexts whole, in chunks, and reads "
    "those that hold tokens important to the question. In the paper's regime evicpress chooses among the paper's "
    "methods; codecs are in rows of their own. Figures 7, 9, 11 and 12 are views of the same runs, which "
    "evicpress/runs performs once for all four.";
std::vector<FigureSetting> policy_run_settings();

struct PolicyRuns {
  StudyOutcomes study;
  std::vector<ChosenForm> chosen;  // by evicpress at the middle alpha, at the end of each run
  std::string chosen_policy;
  double chosen_alpha = 0;
};
Expected<PolicyRuns> run_policies(const FigureArguments& arguments);

/// A figure that shows the runs in one way.
class RunsView final : public QualityExperiment {
 public:
  using View = FigureResult (*)(const PaperFigure& figure, const PolicyRuns& runs);
  /// Texts without options: those of the runs are added.
  RunsView(PaperFigure figure, View view);

  bool is_view() const override { return true; }
  FigureResult of(const PolicyRuns& runs) const;

 protected:
  Expected<std::vector<FigureResult>> measure(const FigureArguments& arguments) const override;

 private:
  const View view_;
};

const RunsView& frontier_view();            // evicpress/fig7
const RunsView& hits_view();                // evicpress/fig9
const RunsView& choices_view();             // evicpress/fig11
const RunsView& frontier_by_family_view();  // evicpress/fig12

}  // namespace kvantage::inline evicpress_figures
