// One figure on several models: `reproduce FIGURE --models A,B`, on the command line and in the window.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/figures/program_figure_host.h"
#include "core/experiments/figures/model_comparison.h"

namespace kvantage::cli {

/// As far as it came.
struct MadeOnModels {
  std::vector<ModelResults> made;  // titles and the setting "model name" name the model
  Status status;                   // of the model after those; names it
};

/// Each model is made on a host of its own.
struct ModelHosts {
  std::function<std::unique_ptr<ProgramFigureHost>()> make;
  std::function<void(const std::string& line)> progress;  // as make_figure_of_words()
  std::function<void(const FigureResult& result)> made;   // as soon as there is one; empty: nothing
};

/// `words`: the figure's name, then options with their values. `models`: comma-separated folders, GGUF files, names of
/// models that ship, or "default" for the figure's own. Errors: usage for a figure or an option that is refused, for
/// --model among the words and where no model is named, rejected_input for what is no model: all before any is made.
Expected<MadeOnModels> make_figure_on_models(const std::vector<std::string>& words, const std::string& models,
                                             const ModelHosts& hosts);

/// With the members that a single figure's JSON has.
OrderedJson figure_json(const FigureResult& result);
/// All results, and behind those of several models their verdicts side by side.
OrderedJson models_json(const std::string& figure, const std::vector<ModelResults>& made);

}  // namespace kvantage::cli
