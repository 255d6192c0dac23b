// `reproduce FIGURE --models A,B`: one figure on several models.
#include <memory>
#include <utility>

#include "app/cli/console_figure_host.h"
#include "app/cli/figures/figure_models.h"
#include "app/cli/figures/figure_request.h"
#include "app/cli/reproduce_command.h"
#include "core/base/json.h"
#include "core/experiments/paper_figures.h"

namespace kvantage::cli {
namespace {

/// Those of the command line, without the models and what becomes of the results.
std::vector<std::string> words_of(const CLI::App& command, const FigureArguments& asked) {
  std::vector<std::string> words{asked.figure};
  for (const CLI::Option* option : command.parse_order()) {
    const std::string name = option->get_name();
    if (option->get_positional() || name == "--models" || name.starts_with("--picture")) continue;
    if (option->get_expected_min() == 0)  // a flag
      words.push_back(name);
    else
      for (const std::string& value : option->results()) words.push_back(std::string(name).append("=").append(value));
  }
  return words;
}

}  // namespace

Expected<std::vector<FigureResult>> reproduce_models(const CLI::App& command, const FigureArguments& arguments,
                                                     const std::string& models) {
  const PaperFigure& figure = *find_paper_figure(arguments.figure);
  KV_TRY(check_figure_options(figure, given_figure_options(command)));  // also those of `reproduce all`
  ConsoleFigureHost console;
  const auto print = [&](const FigureResult& result) {
    if (!arguments.json) console.write(to_text(result) + "\n");
  };
  KV_ASSIGN(const auto all, make_figure_on_models(words_of(command, arguments), models,
                                                  {[] { return std::make_unique<KeepingFigureHost>(); },
                                                   progress_writer(arguments), print}));
  if (arguments.json && !all.made.empty())
    console.write(dump_json(models_json(figure.name, all.made), 2) + "\n");
  else if (all.made.size() > 1)
    console.write(to_text(compare_models(figure.name, all.made)) + "\n");
  if (!all.status) return tl::unexpected(all.status.error());
  std::vector<FigureResult> results;
  for (const ModelResults& one : all.made) results.insert(results.end(), one.results.begin(), one.results.end());
  return results;
}

}  // namespace kvantage::cli
