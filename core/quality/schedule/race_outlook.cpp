#include "core/quality/schedule/race_outlook.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/quality/schedule/coarse_forms.h"

namespace kvantage::inline schedule {
namespace {

constexpr double default_power = 1.5, default_weight = 0.5;
constexpr double least_power = 0.25;   // a bound that does not fall
constexpr double most_answers = 1e15;  // of an estimate

/// What was known of a cell when it had been asked so many questions. Of more than one, the mean stands for each.
CellAnswers first_answers(const CellAnswers& cell, int count) {
  if (cell.n <= count) return cell;
  CellAnswers first = cell;
  first.n = count;
  first.sum = count == 1 ? cell.first : cell.mean() * count;
  first.squares = count == 1 ? cell.first * cell.first : cell.squares / cell.n * count;
  return first;
}

}  // namespace

RaceState race_start(const Snapshot& live, const MeasuredGrid& grid, int first_questions, const AlphaRange& alphas) {
  MeasuredGrid coarse(grid.forms(), grid.contexts());
  const CoarseForms forms(grid);
  for (std::size_t c = 0; c < grid.contexts().size(); ++c)
    for (const std::size_t form : forms.of(c))
      coarse.cell(c, form) = first_answers(grid.cell(c, form), first_questions);
  const GridBeliefs beliefs(coarse);
  return {coarse.answers(), plan_stakes(grid_snapshot(live, coarse, beliefs), coarse, beliefs, alphas).may_rise};
}

std::size_t answers_until(double good_enough, const RaceState& start, const RaceState& now) {
  if (now.may_rise <= good_enough) return 0;
  if (!(good_enough > 0)) return std::numeric_limits<std::size_t>::max();
  double grown = 0, fallen = 0;  // logarithms
  if (start.answers > 0 && now.answers > start.answers && start.may_rise > 0) {
    grown = std::log(static_cast<double>(now.answers) / static_cast<double>(start.answers));
    fallen = std::max(0.0, std::log(start.may_rise / now.may_rise));
  }
  const double power = std::max(least_power, (default_power * default_weight + fallen) / (default_weight + grown));
  const double factor = std::exp(std::log(now.may_rise / good_enough) / power);
  return static_cast<std::size_t>(std::clamp(static_cast<double>(now.answers) * (factor - 1), 1.0, most_answers));
}

}  // namespace kvantage::inline schedule
