#include "core/report/sensitivity_table.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "core/base/shown_text.h"
#include "core/base/units.h"

namespace kvantage::inline report {
namespace {

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size() + 1), ' ');
  return text;
}

}  // namespace

std::vector<SensitivityCell> pooled_by_family(std::span<const ProfileCell> cells) {
  struct Pool {
    std::vector<double> scores;
    std::vector<std::string> contexts;
  };
  std::map<std::tuple<std::string, bool, std::string, double>, Pool> pools;
  for (const ProfileCell& cell : cells) {
    Pool& pool = pools[{cell.family, cell.point.method != "none", cell.point.method, cell.point.removed_fraction}];
    pool.scores.insert(pool.scores.end(), cell.scores.begin(), cell.scores.end());
    pool.contexts.insert(pool.contexts.end(), cell.scores.size(), cell.context_id);
  }
  std::vector<SensitivityCell> pooled;
  for (const auto& [key, pool] : pools)
    if (!pool.scores.empty())
      pooled.push_back({std::get<0>(key), std::get<2>(key), std::get<3>(key), mean_of(pool.scores),
                        bootstrap_interval(pool.scores, pool.contexts), pool.scores.size()});
  return pooled;
}

std::map<std::string, double> spread_between_families(std::span<const SensitivityCell> cells, double removed_fraction) {
  std::map<std::string, std::pair<double, double>> range;
  for (const SensitivityCell& cell : cells) {
    if (cell.removed_fraction != removed_fraction) continue;
    const auto [known, is_new] = range.try_emplace(cell.method, cell.quality, cell.quality);
    known->second.first = std::min(known->second.first, cell.quality);
    known->second.second = std::max(known->second.second, cell.quality);
  }
  std::map<std::string, double> spread;
  for (const auto& [method, ends] : range) spread[method] = ends.second - ends.first;
  return spread;
}

std::map<std::string, std::size_t> best_method_of_contexts(std::span<const ProfileCell> cells,
                                                           double removed_fraction) {
  std::map<std::string, std::vector<const ProfilePoint*>> of_context;
  for (const ProfileCell& cell : cells)
    if (cell.point.removed_fraction == removed_fraction) of_context[cell.context_id].push_back(&cell.point);
  std::map<std::string, std::size_t> best;
  for (auto& [context, points] : of_context) {
    std::ranges::sort(points, [](const ProfilePoint* a, const ProfilePoint* b) { return a->quality > b->quality; });
    if (points.size() > 1 && points[0]->quality > points[1]->quality) ++best[points[0]->method];
  }
  return best;
}

std::string sensitivity_text(std::span<const ProfileCell> cells) {
  constexpr std::size_t name_width = 12, method_width = 28, cell_width = 22;
  const std::vector<SensitivityCell> pooled = pooled_by_family(cells);
  std::set<double> fractions;
  for (const SensitivityCell& cell : pooled)
    if (cell.method != "none") fractions.insert(cell.removed_fraction);
  std::string text = padded("family", name_width) + padded("method", method_width) + padded("n", 6);
  for (const double fraction : fractions) text += padded("removed " + format_fixed(fraction, 2), cell_width);
  const std::string *family = nullptr, *method = nullptr;
  for (const SensitivityCell& cell : pooled) {
    const bool new_row = family == nullptr || *family != cell.family || *method != cell.method;
    if (new_row)
      text += "\n" + padded(shown_line(cell.family), name_width) + padded(shown_line(cell.method), method_width) +
              padded(std::to_string(cell.n), 6);
    family = &cell.family;
    method = &cell.method;
    std::string figure = format_fixed(cell.quality, 3);
    if (cell.interval)
      figure += " [" + format_fixed(cell.interval->low, 2) + ", " + format_fixed(cell.interval->high, 2) + "]";
    text += padded(cell.method == "none" ? figure + " with everything kept" : figure, cell_width);
  }
  text += "\n";
  for (const double fraction : fractions) {
    text += "removed " + format_fixed(fraction, 2) + ": spread between families";
    for (const auto& [name, spread] : spread_between_families(pooled, fraction))
      text += ", " + shown_line(name) + " " + format_fixed(spread, 3);
    text += "; contexts that a method alone answers best";
    for (const auto& [name, count] : best_method_of_contexts(cells, fraction))
      text += ", " + name + " " + std::to_string(count);
    text += "\n";
  }
  return text;
}

}  // namespace kvantage::inline report
