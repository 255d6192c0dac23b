#include "core/report/plots/plotted_marks.h"

#include <algorithm>
#include <cctype>

#include "core/report/plot_columns.h"

namespace kvantage::inline plots {
namespace {

/// As words of their own: "4 bits" is in "paper: 4 bits", not in "paper: 14 bits".
bool holds(const std::string& label, const std::string& name) {
  const auto letter = [&](std::size_t i) {
    return i < label.size() && std::isalnum(static_cast<unsigned char>(label[i]));
  };
  for (std::size_t at = label.find(name); at != std::string::npos; at = label.find(name, at + 1))
    if ((at == 0 || !letter(at - 1)) && !letter(at + name.size())) return true;
  return false;
}

std::optional<std::size_t> group_in(const std::string& label, const std::vector<std::string>& groups) {
  std::optional<std::size_t> found;
  for (std::size_t g = 0; g < groups.size(); ++g)
    if (!groups[g].empty() && holds(label, groups[g]) && (!found || groups[g].size() > groups[*found].size()))
      found = g;
  return found;
}

}  // namespace

std::vector<PlottedMark> plotted_marks(const FigureTable& table, const std::vector<std::string>& groups,
                                       const std::vector<std::string>& categories) {
  std::vector<PlottedMark> marks;
  if (!table.plot || table.plot->kind == FigurePlot::Kind::heat_map || table.plot->kind == FigurePlot::Kind::spans)
    return marks;
  for (const PublishedMark& one : table.plot->published) {
    PlottedMark mark{one.label, {}, one.low, one.high, group_in(one.label, groups)};
    if (!one.at.is_null()) {
      if (table.plot->kind == FigurePlot::Kind::bars) {
        const auto category = std::ranges::find(categories, text_of_cell(one.at));
        if (category == categories.end()) continue;
        mark.at = static_cast<double>(category - categories.begin());
      } else {
        mark.at = number_of_cell(one.at);
        if (!mark.at) continue;
      }
    }
    marks.push_back(std::move(mark));
  }
  return marks;
}

std::string plotted_y_title(const FigurePlot& plot) {
  if (!plot.y_title.empty()) return plot.y_title;
  switch (plot.kind) {
    case FigurePlot::Kind::cdf:
      return "cumulative share";
    case FigurePlot::Kind::histogram:
      return "count";
    case FigurePlot::Kind::heat_map:
      return plot.y.empty() ? std::string() : plot.y.front();
    case FigurePlot::Kind::spans:
      return {};
    default:
      return plot.y.size() == 1 ? plot.y.front() : std::string();
  }
}

}  // namespace kvantage::inline plots
