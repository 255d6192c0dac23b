#include "core/experiments/figures/evicpress/curve_experiment.h"

#include "core/base/form_text.h"
#include "core/experiments/studies/study_cells.h"

namespace kvantage::inline evicpress_figures {

Status CurveExperiment::check(const FigureArguments& arguments) const {
  KV_TRY(QualityExperiment::check(arguments));
  return check_methods_remove(figure(), arguments.methods);
}

Expected<std::vector<FigureResult>> CurveExperiment::measure(const FigureArguments& arguments) const {
  AskedCurves asked{split_list(arguments.methods), {}};
  KV_ASSIGN(asked.removed_fractions, study_numbers(arguments.removed, "--removed"));
  if (asked.methods.empty()) return fail(ErrorCode::usage, "--methods: names none; write it like keydiff,snapkv");
  arguments.lines->expect_cells(1);
  KV_ASSIGN(const auto session, arguments.host->open_session(arguments, arguments.seed, asked.methods));
  FigureResult result = compute_(figure(), *session->engine().snapshot(), asked);
  result.settings.update(study_settings(arguments, session->engine()));
  arguments.lines->end_cell();  // curves: nothing here is timed
  return std::vector<FigureResult>{std::move(result)};
}

}  // namespace kvantage::inline evicpress_figures
