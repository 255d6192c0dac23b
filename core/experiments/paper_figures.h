// The figures of the papers that can be made here: what each does, which shape is expected, what its paper reports and
// with which settings it starts. The one list: the command line takes its defaults from it, the window shows it,
// results take their words from it. Texts of one paper = one file beside this one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/report/figure.h"

namespace kvantage {

/// One option of `kvantage-cli reproduce` that a figure reads.
struct FigureSetting {
  std::string option;    // "--budgets"
  std::string label;     // "Budgets"
  std::string standard;  // of this figure; empty: nothing is handed over, and `otherwise` says what that means
  std::string otherwise = {};
  std::string tip = {};  // what it is, with its unit
  bool one = false;      // a single value where other figures take a list
};

struct PaperFigure {
  std::string name;       // "000/8"
  std::string paper;      // Paper::id
  std::string title;      // what it shows, in a line
  std::string does;       // what is done here
  std::string expected;   // the shape that would agree with the paper
  std::string published;  // what the paper reports
  std::vector<FigureSetting> settings = {};
  bool records_runs = false;           // in the database, like any other
  std::vector<std::string> also = {};  // other names: of figures and tables of the paper that the same tables hold
  std::vector<std::string> more = {};  // options that it reads beside its settings, rarely needed
  bool random_weights = false;  // made on a model of random weights; --model is read only where it is one of `more`,
                                // and --width then is not
};

struct Paper {
  std::string id;            // "000"
  std::string name;          // "EvicPress"
  std::string missing = {};  // what of it cannot be made, in a line; empty: nothing
};

const std::vector<Paper>& papers();
/// In the order of the papers.
const std::vector<PaperFigure>& paper_figures();
/// By any of its names. Null: no such figure.
const PaperFigure* find_paper_figure(std::string_view name);
/// The figure's own value of an option; empty: it has none.
std::string figure_standard(std::string_view figure, std::string_view option);

/// An option of the command line and how many items its value has, commas between them.
struct GivenOption {
  std::string option;
  std::size_t items = 1;
};
/// usage error for an option that the figure does not read, or a list where it takes one value. --model is read where
/// `random_weights` does not say otherwise.
Status check_figure_options(const PaperFigure& figure, const std::vector<GivenOption>& given);

/// Of one paper each; private to the list.
std::vector<PaperFigure> evicpress_figures();
std::vector<PaperFigure> other_figures();
std::vector<PaperFigure> kvpr_figures();

/// A result without tables, its words and the paper's from this list.
FigureResult begin_figure(const std::string& name, Provenance provenance = Provenance::measured);

}  // namespace kvantage
