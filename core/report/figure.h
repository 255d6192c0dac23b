// A reproduced paper figure: the paper's result, ours, and where the two agree. One type for all figures, so that the
// command line and the window present them alike. Pure: numbers in, tables out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/base/statistics.h"
#include "core/ports/events.h"

namespace kvantage::inline report {

/// A point or a span that the paper reports, drawn beside ours in a mark of its own.
struct PublishedMark {
  std::string label;         // "paper: KIVI 8 bits"
  Json at = {};              // in x: a number, the text of a category, or null for a span along the whole axis
  double low = 0, high = 0;  // in y (heat_map: none are drawn); a point has low = high
};

/// How a table is drawn. Every name is that of a column (of duplicate names the first is meant), and columns have their
/// units in their names. Two columns named "low" and "high" behind a numeric column are its interval.
struct FigurePlot {
  enum class Kind {
    lines,      // x and y: numbers; a line for each y and each value of `by`, intervals as bands
    scatter,    // x and y: numbers with intervals; `by` groups points, the last of them labels each point
    cdf,        // x: numbers, whose share at most x is drawn; a curve for each value of `by`; no y
    bars,       // x: a category; y: numbers with intervals, side by side for each y and each value of `by`
    histogram,  // x: numbers, counted in bins; `by` tells groups apart; no y
    heat_map,   // x: a category or a number; y: the row, then the number that is the color
    spans       // x: the title of the time axis; y: lane, begin, end; by: a span's label, and its color
  };
  Kind kind = Kind::lines;
  std::string x;
  std::vector<std::string> y = {};
  std::string y_title = {};  // empty: the name of the only y
  std::vector<std::string> by = {};
  std::vector<PublishedMark> published = {};
  // lines: what "low" and "high" are where they are no 95 % intervals, such as "range over seeds". They are a band
  // then, however few the points.
  std::string band = {};
};

struct FigureTable {
  std::string title;
  std::vector<std::string> columns;     // units in the names
  std::vector<std::vector<Json>> rows;  // text, numbers, or null for a missing value
  std::optional<FigurePlot> plot = {};
};

/// A minimum and a maximum that were measured, each with its 95 % interval where there is one. A single number has
/// low = high.
struct MeasuredSpan {
  double low = 0, high = 0;
  std::optional<Interval> low_interval = {}, high_interval = {};
  std::size_t n = 0;       // of what the intervals are over: contexts, questions or blocks; 0: not known
  bool is_sampled = true;  // false: more samples do not narrow the intervals
};

/// What a figure measured of one number that its paper reports.
struct MeasuredClaim {
  std::string claim;  // PaperClaim::id
  MeasuredSpan measured;
  bool of_time = false;       // says nothing where the machine was disturbed
  std::string at = {};        // bandwidth and shape that it was measured at, beside the number; may be empty
  std::string withheld = {};  // why these settings give no verdict; empty: they do
};

struct FigureResult {
  std::string figure;  // "evicpress/fig3"
  std::string title;
  std::string paper;  // the paper's result
  Json settings;      // workload, methods, seeds, ...: what makes it reproducible
  Provenance provenance = Provenance::measured;
  std::vector<FigureTable> tables;
  std::vector<std::string> findings;  // sentences: where the shapes agree, where not, and the limitations
  // Findings that rest on times. Whoever shows the result moves them to `findings`, or says why they are withheld.
  std::vector<std::string> time_findings = {};
  // Of the claims about this figure, those that these settings measure. Whoever shows the result turns them into
  // verdicts.
  std::vector<MeasuredClaim> measured = {};
  std::string off_regime = {};         // why none of them gets a verdict: the paper's regime or metric is another
  std::string limit = {};              // what each verdict is printed with: conditions that the paper does not have
  std::vector<std::string> runs = {};  // ids of the underlying recorded runs, in serving order
  // Members that its printed JSON has besides, such as every quantity of every cell; kept nowhere.
  OrderedJson more = {};
};

/// A cell for display: three significant digits, "-" for a missing value.
std::string figure_cell_text(const Json& value);

Json to_json(const FigureResult& result);
/// rejected_input naming `name` and the field.
Expected<FigureResult> figure_result_from_json(const Json& json, const std::string& name);
/// Parses the output of `kvantage-cli reproduce --json`: an object or an array of them, also several concatenated.
/// rejected_input for anything else.
Expected<std::vector<FigureResult>> figure_results_of(std::string_view text, const std::string& name);
/// Aligned tables, numbers with three significant digits; ends with a newline.
std::string to_text(const FigureResult& result);
/// All tables, each under a line with its title; numbers in full, units in the column names.
std::string to_csv(const FigureResult& result);

}  // namespace kvantage::inline report
