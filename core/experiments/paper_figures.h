// The paper figures that can be reproduced: what each does, the expected shape, the paper's result and the default
// settings. The command line takes its defaults from here, the window shows them, and results take their texts from
// here. Each figure is a file below core/experiments/figures, and core/experiments/figures/experiments.cpp lists them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/report/figure.h"

namespace kvantage::inline experiments {

/// One option of `kvantage-cli reproduce` that a figure reads.
struct FigureSetting {
  std::string option;    // "--budgets"
  std::string label;     // "Budgets"
  std::string standard;  // its default; empty: the option is not passed, and `otherwise` describes the effect
  std::string otherwise = {};
  std::string tip = {};  // its meaning and unit
  bool one = false;      // a single value where other figures take a list
};

struct PaperFigure {
  std::string name;       // "evicpress/fig8"
  std::string paper;      // Paper::id
  std::string title;      // what it shows, in one line
  std::string does;       // what is run here
  std::string expected;   // the shape that would agree with the paper
  std::string published;  // the paper's result
  std::vector<FigureSetting> settings = {};
  bool records_runs = false;           // in the database, like any other run
  std::vector<std::string> also = {};  // aliases: figures and tables of the paper in the same tables
  std::vector<std::string> more = {};  // further options that it reads, rarely needed
  bool random_weights = false;         // uses a model of random weights; --model is read only where it is in `more`,
                                       // and then --width is not
  bool without_model = false;          // computes without one; --model is refused
  // Options with their values that make it in seconds, to see that all of it works; empty: it is quick as it is.
  std::vector<std::pair<std::string, std::string>> quick = {};
  // Those that make it in minutes, with verdicts; empty: it takes no longer as it is.
  std::vector<std::pair<std::string, std::string>> brief = {};
};

struct Paper {
  std::string id;            // "evicpress"
  std::string name;          // "EvicPress"
  std::string missing = {};  // what of it cannot be reproduced, in one line; empty: nothing
};

const std::vector<Paper>& papers();
/// The id of a figure that is called by the id it had before ("000/8", "003/walls", "decode"); other ids unchanged.
std::string current_figure_id(std::string_view name);
/// Of these figures, by any of its names, also an earlier one. Null: unknown figure.
const PaperFigure* find_paper_figure(const std::vector<PaperFigure>& figures, std::string_view name);
/// The present name of an option that `kvantage-cli reproduce` had under another name, as in figures that were saved
/// then; else the option itself.
std::string_view present_figure_option(std::string_view option);

/// A command-line option and the number of comma-separated items in its value.
struct GivenOption {
  std::string option;
  std::size_t items = 1;
};
/// Whether it is made on a model, that of --model or the default one: neither on random weights nor without a model.
bool uses_model(const PaperFigure& figure);
/// Whether it takes --model and --max-model-len: all that use a model, and some on random weights, instead of those.
bool reads_model(const PaperFigure& figure);
/// Whether it takes --model, --max-model-len or --prompt-form, which only figures that use a model do.
bool reads_model_option(const PaperFigure& figure, std::string_view option);
/// usage error for an option that the figure does not read, or a list where it takes one value. For --model it says
/// why (reads_model()), and which of `figures` on random weights take it.
Status check_figure_options(const PaperFigure& figure, const std::vector<GivenOption>& given,
                            const std::vector<PaperFigure>& figures);

/// A result without tables; its texts and the paper's are the figure's.
FigureResult begin_figure(const PaperFigure& figure, Provenance provenance = Provenance::measured);

}  // namespace kvantage::inline experiments

// Of all figures: in the library of core/experiments/figures, which has their list. Declared here, as the window reads
// the list and includes nothing that needs a model.
namespace kvantage::inline figures {

/// In the order of the papers.
const std::vector<PaperFigure>& paper_figures();
const PaperFigure* find_paper_figure(std::string_view name);
/// The figure's default for an option; empty: none.
std::string figure_standard(std::string_view figure, std::string_view option);
Status check_figure_options(const PaperFigure& figure, const std::vector<GivenOption>& given);
/// What `reproduce all` makes for each paper, in order: every figure that is no view of another one.
std::vector<std::string> reproduced_figures();
/// An unknown figure has no texts.
FigureResult begin_figure(const std::string& name, Provenance provenance = Provenance::measured);

}  // namespace kvantage::inline figures
