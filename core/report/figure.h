// A published figure, made anew: what the paper says, what came out here, and where the two agree. One shape for all
// figures, so that the command line prints them and the window shows them alike. Pure: numbers in, tables out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/ports/events.h"

namespace kvantage {

/// How a table is drawn, by the names of its columns; of two with one name the first is meant.
struct FigurePlot {
  enum class Kind { lines, spans };
  Kind kind = Kind::lines;
  std::string x;  // lines: a column of numbers; spans: the title of the time axis
  std::vector<std::string>
      y;  // lines: columns of numbers, two behind one called "low" and "high" are its interval; spans: lane, begin, end
  std::string y_title = {};  // empty: the name of the only y
  std::vector<std::string> by =
      {};  // lines: columns whose values tell the lines of one y apart; spans: what stands on a span, what colours it
};

struct FigureTable {
  std::string title;
  std::vector<std::string> columns;     // units in the names
  std::vector<std::vector<Json>> rows;  // text, numbers, or null where there is nothing
  std::optional<FigurePlot> plot = {};
};

struct FigureResult {
  std::string figure;  // "000/3"
  std::string title;
  std::string paper;  // what the paper reports
  Json settings;      // workload, methods, seeds, ...: what makes it repeatable
  Provenance provenance = Provenance::measured;
  std::vector<FigureTable> tables;
  std::vector<std::string> findings;   // sentences: where the shapes agree, where not, and what limits it
  std::vector<std::string> runs = {};  // recorded ones that it rests on, by id, in the order of serving
};

/// A cell as people read it: three significant digits, "-" where there is nothing.
std::string figure_cell_text(const Json& value);

Json to_json(const FigureResult& result);
/// rejected_input naming `name` and the field.
Expected<FigureResult> figure_result_from_json(const Json& json, const std::string& name);
/// What `kvantage-cli reproduce --json` prints: an object, or an array of them; several of either, one behind the
/// other, too. rejected_input for anything else.
Expected<std::vector<FigureResult>> figure_results_of(std::string_view text, const std::string& name);
/// Aligned tables, numbers with three significant digits; ends with a newline.
std::string to_text(const FigureResult& result);
/// All tables, each under a line with its title; numbers in full, units in the names of the columns.
std::string to_csv(const FigureResult& result);

}  // namespace kvantage
