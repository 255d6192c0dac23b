#include "core/experiments/figures/figure_makers.h"

#include "core/base/shown_text.h"
#include "core/experiments/figures/experiments.h"

namespace kvantage::inline figures {
namespace {

Expected<const Experiment*> experiment_of(const std::string& figure) {
  if (const Experiment* experiment = find_experiment(figure)) return experiment;
  return fail(ErrorCode::usage,
              "unknown figure '" + printable(figure) + "'; kvantage-cli reproduce list shows all of them");
}

}  // namespace

Status check_figure(const FigureArguments& arguments, const PaperFigure& figure) {
  KV_ASSIGN(const auto* experiment, experiment_of(figure.name));
  return experiment->check(arguments);
}

bool serves_sessions(const std::string& figure) {
  const Experiment* experiment = find_experiment(figure);
  return experiment != nullptr && experiment->serves_sessions();
}

Status make_figure(const FigureArguments& arguments) {
  KV_ASSIGN(const auto* experiment, experiment_of(arguments.figure));
  KV_ASSIGN(const auto results, experiment->run(arguments));
  if (results.size() == 1)
    arguments.host->show(results.front(), arguments.json);
  else
    arguments.host->show_all(results, arguments.json);
  return {};
}

}  // namespace kvantage::inline figures
