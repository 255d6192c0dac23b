// A published figure, made anew: what the paper says, what came out here, and where the two agree. One shape for all
// figures, so that the command line prints them and the window shows them alike. Pure: numbers in, tables out.
#pragma once

#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/ports/events.h"

namespace kvantage {

struct FigureTable {
  std::string title;
  std::vector<std::string> columns;     // units in the names
  std::vector<std::vector<Json>> rows;  // text, numbers, or null where there is nothing
};

struct FigureResult {
  std::string figure;  // "000/3"
  std::string title;
  std::string paper;  // what the paper reports
  Json settings;      // workload, methods, seeds, ...: what makes it repeatable
  Provenance provenance = Provenance::measured;
  std::vector<FigureTable> tables;
  std::vector<std::string> findings;  // sentences: where the shapes agree, where not, and what limits it
};

Json to_json(const FigureResult& result);
/// Aligned tables, numbers with three significant digits; ends with a newline.
std::string to_text(const FigureResult& result);

}  // namespace kvantage
