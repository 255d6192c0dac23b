// EvicPress, figure 10: quality and latency over time, with and without re-profiling.
#include <cstdint>
#include <optional>
#include <utility>

#include "core/base/form_text.h"
#include "core/experiments/drift_figure.h"
#include "core/experiments/figures/evicpress/figures.h"
#include "core/experiments/figures/evicpress/settings.h"
#include "core/experiments/studies/quality_experiment.h"
#include "core/experiments/studies/study_cells.h"
#include "core/ports/reprofile_rule.h"

namespace kvantage::inline evicpress_figures {
namespace {

class Drift final : public QualityExperiment {
 public:
  Drift()
      : QualityExperiment(PaperFigure{
            .name = "evicpress/fig10",
            .paper = "evicpress",
            .title = "quality and latency over time, with and without re-profiling",
            .does =
                "Requests arrive as in Azure's trace of conversations, and questions about each context drift in the "
                "middle of the run; served once with re-profiling and once without, in eight parts of the run. Quality "
                "leaves out questions that re-profiling had used.",
            .expected =
                "Without re-profiling, quality falls with the drift and stays low; with it, quality recovers, and "
                "latency rises only while profiling runs.",
            .published =
                "with re-profiling, quality rises over time by about 11 %; latency rises briefly while profiling "
                "runs (Azure arrivals, threshold 0.3, one profiling question per context)",
            .settings = {workload_setting("azure-drift"),
                         {"--rate",
                          "Rate (1/s)",
                          "12",
                          {},
                          "Mean requests per second, to which the workload's recorded arrival times are scaled; "
                          "without such times, Poisson arrivals",
                          true},
                         {"--reprofile-when",
                          "Re-profile when",
                          "absolute(0.3)",
                          {},
                          "When a context is re-profiled: the quality of its answers falls short of their profile by a "
                          "difference, absolute(0.3), or by a share, relative(0.3), or is below a value, below(0.7)"},
                         {"--profile-questions",
                          "Profile questions",
                          "1",
                          {},
                          "Questions per context for the initial quality curve, as in the paper; 0: all"},
                         alphas_setting("3", {}),
                         policies_setting("evicpress(quality=raw)"),
                         methods_setting("keydiff,knorm,snapkv"),
                         removed_setting({}),
                         metric_setting(),
                         seeds_setting(),
                         requests_setting()},
            .records_runs = true,
            .more = {"--max-batch", "--reprofile-threshold", "--seed"},
            .quick = {{"--seeds", "1"},
                      {"--limit", "4"},
                      {"--rate", "20"},
                      {"--alpha", "0.3"},
                      {"--methods", "keydiff"},
                      {"--quality-metric", "token_f1"}},
            .brief = {{"--seeds", "1"}}}) {}

  Status check(const FigureArguments& arguments) const override {
    KV_TRY(QualityExperiment::check(arguments));
    KV_TRY(rule_of(arguments));
    return {};
  }

 protected:
  Expected<std::vector<FigureResult>> measure(const FigureArguments& arguments) const override {
    KV_ASSIGN(const auto when, rule_of(arguments));
    // Under the workload's own budgets.
    KV_ASSIGN(const auto rates, study_numbers(arguments.rates, "--rate"));
    std::optional<DriftSpan> drift;
    const auto cells_of = [&](const Engine& engine) -> Expected<std::vector<StudyCell>> {
      drift = drift_of(engine);
      std::vector<double> alphas{engine.settings().alpha};
      if (!arguments.alphas.empty()) {
        KV_ASSIGN(const auto given, study_alphas(arguments, engine));
        alphas = given;
      }
      std::vector<StudyCell> cells;
      for (const bool reprofile : {true, false})
        for (const std::string& text : split_policies(arguments.policies))
          KV_TRY(add_cells(text, alphas,
                           {.policy = {},
                            .requests_per_second = rates.front(),
                            .condition = reprofile ? reprofiled_condition : profiled_once_condition,
                            .change =
                                [reprofile, when](SessionSettings& settings) {
                                  settings.reprofile = reprofile;
                                  settings.reprofile_when = when;
                                  // The paper has neither.
                                  settings.assume_loss = false;
                                  settings.reprofile_share = 1;
                                }},
                           cells));
      return cells;
    };
    return run_study_figure(arguments, cells_of, [&](const StudyOutcomes& study) {
      FigureResult result = figure_drift(figure(), study.outcomes, drift);
      study.regime.tell_limit(result, reprofiled_condition);
      return result;
    });
  }

 private:
  static std::optional<DriftSpan> drift_of(const Engine& engine) {
    const auto& workload = engine.workload();
    if (!workload.arrivals.drift) return std::nullopt;
    std::uint64_t requests = engine.settings().request_limit;
    if (requests == 0)
      requests = workload.schedule.empty() ? workload.arrivals.requests : std::uint64_t{workload.schedule.size()};
    return drift_in_run({workload.arrivals.drift->begin, workload.arrivals.drift->end}, workload.arrivals.requests,
                        requests);
  }
  static Expected<ReprofileRule> rule_of(const FigureArguments& arguments) {
    auto rule = parse_reprofile_rule(arguments.reprofile_when);
    if (!rule) return fail(ErrorCode::usage, "--reprofile-when: " + rule.error().message);
    return rule;
  }
};

}  // namespace

const Experiment& evicpress_fig10() {
  static const Drift experiment;
  return experiment;
}

}  // namespace kvantage::inline evicpress_figures
