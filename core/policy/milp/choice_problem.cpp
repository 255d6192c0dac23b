#include "core/policy/milp/choice_problem.h"

#include <algorithm>
#include <cmath>
#include <new>

#include "core/policy/milp/search_bounds.h"

#ifdef KVANTAGE_CBC
#include <coin/CbcEventHandler.hpp>
#include <coin/CbcHeuristicDiveCoefficient.hpp>
#include <coin/CbcHeuristicLocal.hpp>
#include <coin/CbcModel.hpp>
#include <coin/CoinPackedMatrix.hpp>
#include <coin/OsiClpSolverInterface.hpp>
#endif

namespace kvantage::inline milp {

#ifdef KVANTAGE_CBC
namespace {

/// Columns are options, less those that cannot fit; values are divided by the largest difference within a group.
struct ChoiceColumns {
  std::vector<std::pair<std::size_t, std::size_t>> options;  // group, option
  std::vector<double> worth;                                 // scaled, above the least of the group
  double scale = 1, base = 0;

  explicit ChoiceColumns(const ChoiceProblem& problem) {
    double widest = 0;
    for (const auto& group : problem.groups) {
      const auto [low, high] = std::ranges::minmax(group, {}, &ChoiceOption::value);
      widest = std::max(widest, high.value - low.value);
      base += low.value;
    }
    if (widest > 0) scale = widest;
    for (std::size_t g = 0; g < problem.groups.size(); ++g) {
      const auto& group = problem.groups[g];
      const double least = std::ranges::min(group, {}, &ChoiceOption::value).value;
      for (std::size_t o = 0; o < group.size(); ++o) {
        if (group[o].tier >= 0 && group[o].bytes > problem.rooms[static_cast<std::size_t>(group[o].tier)]) continue;
        options.emplace_back(g, o);
        worth.push_back((group[o].value - least) / scale);
      }
    }
  }
};

/// Ends the search where its thread is asked to.
class ChoiceEvents final : public CbcEventHandler {
 public:
  CbcAction event(CbcEvent) override { return SearchCancel::is_asked() ? stop : noAction; }
  CbcEventHandler* clone() const override { return new ChoiceEvents(*this); }
};

/// Minimizes the negative worth. `slack`: taken off every room, as a share.
OsiClpSolverInterface choice_solver(const ChoiceProblem& problem, const ChoiceColumns& columns, double slack) {
  const int groups = static_cast<int>(problem.groups.size()), tiers = static_cast<int>(problem.rooms.size());
  CoinPackedMatrix matrix(true, 0, 0);
  matrix.setDimensions(groups + tiers, 0);
  std::vector<double> cost, low(columns.options.size(), 0), high(columns.options.size(), 1);
  for (std::size_t c = 0; c < columns.options.size(); ++c) {
    const auto& [group, at] = columns.options[c];
    const ChoiceOption& option = problem.groups[group][at];
    int rows[2] = {static_cast<int>(group), 0};
    double values[2] = {1, 0};
    int count = 1;
    if (option.tier >= 0 && option.bytes > 0) {
      rows[1] = groups + option.tier;
      values[1] =
          static_cast<double>(option.bytes) / static_cast<double>(problem.rooms[static_cast<std::size_t>(option.tier)]);
      count = 2;
    }
    matrix.appendCol(count, rows, values);
    cost.push_back(-columns.worth[c]);
  }
  std::vector<double> row_low(static_cast<std::size_t>(groups + tiers), 1), row_high(row_low.size(), 1);
  for (int t = 0; t < tiers; ++t) {
    row_low[static_cast<std::size_t>(groups + t)] = 0;
    row_high[static_cast<std::size_t>(groups + t)] = 1 - slack;
  }
  OsiClpSolverInterface solver;
  solver.messageHandler()->setLogLevel(0);
  solver.getModelPtr()->setLogLevel(0);
  solver.loadProblem(matrix, low.data(), high.data(), cost.data(), row_low.data(), row_high.data());
  for (int c = 0; c < static_cast<int>(columns.options.size()); ++c) solver.setInteger(c);
  solver.setDblParam(OsiPrimalTolerance, 1e-9);
  solver.setDblParam(OsiDualTolerance, 1e-9);
  return solver;
}

/// Rounded; nothing where a group has none or a room is exceeded.
std::optional<ChoiceSolution> choice_of(const ChoiceProblem& problem, const ChoiceColumns& columns,
                                        const double* solution) {
  ChoiceSolution made;
  made.chosen.assign(problem.groups.size(), std::size_t(-1));
  std::vector<std::uint64_t> left = problem.rooms;
  for (std::size_t c = 0; c < columns.options.size(); ++c) {
    if (solution[c] < 0.5) continue;
    const auto& [group, at] = columns.options[c];
    if (made.chosen[group] != std::size_t(-1)) return std::nullopt;
    made.chosen[group] = at;
    const ChoiceOption& option = problem.groups[group][at];
    made.value += option.value;
    if (option.tier < 0) continue;
    std::uint64_t& room = left[static_cast<std::size_t>(option.tier)];
    if (option.bytes > room) return std::nullopt;
    room -= option.bytes;
  }
  if (std::ranges::find(made.chosen, std::size_t(-1)) != made.chosen.end()) return std::nullopt;
  return made;
}

struct ChoiceRun {
  std::optional<ChoiceSolution> found;
  double bound = 0;  // scaled back
  std::int64_t nodes = 0;
};

ChoiceRun branch_and_bound(const ChoiceProblem& problem, const ChoiceColumns& columns, const ChoiceLimits& limits,
                           double slack) {
  OsiClpSolverInterface solver = choice_solver(problem, columns, slack);
  CbcModel model(solver);
  model.setLogLevel(0);
  model.messageHandler()->setLogLevel(0);
  model.setNumberThreads(0);
  model.setMaximumNodes(limits.nodes);
  model.setUseElapsedTime(true);
  model.setMaximumSeconds(limits.seconds);
  model.setAllowableGap(1e-11);
  // By default only what is better by 1e-5 counts as better, and is then called proven.
  model.setDblParam(CbcModel::CbcCutoffIncrement, 1e-11);
  model.setAllowableFractionGap(0);
  model.setIntegerTolerance(1e-8);
  ChoiceEvents events;
  model.passInEventHandler(&events);
  // Without cuts: those of CglKnapsackCover (Cgl 0.60) cut off optima of such rows, which
  // tests/policy/choice_problem_test.cpp shows.
  CbcRounding simple(model);
  CbcHeuristicDiveCoefficient dive(model);
  model.addHeuristic(&simple, "rounding");
  model.addHeuristic(&dive, "dive");
  model.initialSolve();
  model.branchAndBound();
  ChoiceRun run;
  run.nodes = model.getNodeCount();
  run.bound = columns.base - model.getBestPossibleObjValue() * columns.scale;
  if (model.bestSolution() != nullptr) run.found = choice_of(problem, columns, model.bestSolution());
  return run;
}

}  // namespace

bool milp_is_available() { return true; }

std::optional<ChoiceSolution> solve_choices(const ChoiceProblem& problem, const ChoiceLimits& own) try {
  const ChoiceLimits limits = SearchBounds::within(own);
  std::size_t count = 0;
  for (const auto& group : problem.groups) {
    if (group.empty()) return std::nullopt;
    count += group.size();
  }
  if (problem.groups.empty() || count > limits.columns || SearchCancel::is_asked()) return std::nullopt;
  const ChoiceColumns columns(problem);
  ChoiceRun run = branch_and_bound(problem, columns, limits, 0);
  const double bound = run.bound;
  // The solver may exceed a room by its tolerance: again with rooms that are smaller by more than that.
  if (!run.found && !SearchCancel::is_asked()) run = branch_and_bound(problem, columns, limits, 1e-7);
  if (!run.found || SearchCancel::is_asked()) return std::nullopt;
  run.found->bound = std::max(bound, run.found->value);
  run.found->nodes = run.nodes;
  return run.found;
} catch (const CoinError&) {
  return std::nullopt;
} catch (const std::bad_alloc&) {
  return std::nullopt;
}
#else
bool milp_is_available() { return false; }

std::optional<ChoiceSolution> solve_choices(const ChoiceProblem&, const ChoiceLimits&) { return std::nullopt; }
#endif

}  // namespace kvantage::inline milp
