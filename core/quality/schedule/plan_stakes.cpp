#include "core/quality/schedule/plan_stakes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <utility>

#include "core/base/student.h"
#include "core/policy/frontier.h"
#include "core/policy/lp_bound.h"
#include "core/policy/min_drop_solver.h"

namespace kvantage::inline schedule {
namespace {

constexpr double doubt_of_bytes = 0.03;
constexpr double weight_of_other_alphas = 0.25;
constexpr std::size_t no_form = std::numeric_limits<std::size_t>::max();

/// Forms of the problem's options; no_form: none of the grid.
std::vector<std::size_t> forms_of_options(const PlanningProblem& problem, const MeasuredGrid& grid) {
  std::vector<std::size_t> forms(problem.options(), no_form);
  for (std::size_t i = 0; i < problem.items().size(); ++i) {
    const PlanningItem& item = problem.items()[i];
    for (std::uint32_t o = item.first; o < item.first + item.count; ++o) {
      const Configuration configuration = problem.configuration(i, o, 0);
      const std::size_t form = grid.form_of(configuration.method, configuration.removed_fraction);
      if (form < grid.forms().size()) forms[o] = form;
    }
  }
  return forms;
}

/// Mean of max(0, X) for a normal X.
double expected_gain(double mean, double deviation) {
  const double u = mean / deviation;
  return deviation * std::exp(-0.5 * u * u) / std::sqrt(2 * std::numbers::pi) + mean * normal_share(u);
}

/// A way to serve one context.
struct Way {
  std::size_t form = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;
};

class StakesOfPlans {
 public:
  StakesOfPlans(const Snapshot& planned, const MeasuredGrid& grid, const GridBeliefs& beliefs)
      : planned_(planned),
        grid_(grid),
        beliefs_(beliefs),
        problem_(planned),
        forms_(forms_of_options(problem_, grid)) {}

  PlanStakes of(const AlphaRange& range) {
    PlanStakes all;
    all.contexts.resize(problem_.items().size());
    for (ContextStakes& context : all.contexts) {
      context.stakes.assign(grid_.forms().size(), 0);
      context.dropped.assign(grid_.forms().size(), false);
    }
    const double alpha = planned_.alpha, lowest = alpha * range.lowest, highest = alpha * range.highest;
    for (std::size_t i = 0; i < all.contexts.size(); ++i) drop(all, i, lowest, highest);
    for (const double at : {alpha, lowest, highest}) add_stakes(all, at, at == alpha);
    // Gains are never below 0, so their means add up; only what they may be above their means evens out.
    double expected = 0, squares = 0;
    for (const ContextStakes& context : all.contexts) {
      const double above = std::max(0.0, context.regret - context.expected);
      expected += context.expected;
      squares += above * above;
    }
    all.may_rise = expected + std::sqrt(squares);
    return all;
  }

 private:
  Way way(std::uint32_t option, std::size_t tier) const {
    return {forms_[option], problem_.bytes(option), problem_.ttft_seconds(option, tier)};
  }
  Way prefill(const PlanningItem& item) const { return {0, 0, item.prefill_seconds}; }

  /// Whether y serves the context at least as well as x, at both alphas, in no more space.
  bool dominates(std::size_t context, const Way& y, const Way& x, double lowest, double highest) const {
    const auto doubt = [&](const Way& way) {
      return way.bytes > 0 && grid_.cell(context, way.form).bytes == 0 ? doubt_of_bytes : 0.0;
    };
    if (y.form == x.form && y.bytes > 0) return false;
    if (static_cast<double>(y.bytes) * (1 + doubt(y)) > static_cast<double>(x.bytes) * (1 - doubt(x))) return false;
    const double low = beliefs_.of(context, y.form).low, high = beliefs_.of(context, x.form).high;
    const auto better = [&](double alpha) { return alpha * low - y.seconds >= alpha * high - x.seconds; };
    return better(lowest) && better(highest);
  }

  void drop(PlanStakes& all, std::size_t index, double lowest, double highest) const {
    const PlanningItem& item = problem_.items()[index];
    for (std::uint32_t o = item.first; o < item.first + item.count; ++o) {
      if (forms_[o] == no_form || forms_[o] == 0) continue;  // how good an uncompressed answer is, all plans depend on
      bool needed = false;
      for (std::size_t t = 0; t < problem_.tiers() && !needed; ++t) {
        if (problem_.bytes(o) > problem_.budget(t)) continue;
        const Way x = way(o, t);
        needed = !dominates(index, prefill(item), x, lowest, highest);
        for (std::uint32_t p = item.first; p < item.first + item.count && needed; ++p)
          if (forms_[p] != no_form) needed = !dominates(index, way(p, t), x, lowest, highest);
      }
      all.contexts[index].dropped[forms_[o]] = !needed;
      all.dropped += needed ? 0 : 1;
    }
  }

  /// Upper end of the interval of quality(x) - quality(z), less its mean.
  double doubt_of_difference(std::size_t context, std::size_t x, std::size_t z) const {
    if (x == z || (grid_.exhausted(context, x) && grid_.exhausted(context, z))) return 0;
    const CellBelief &of_x = beliefs_.of(context, x), &of_z = beliefs_.of(context, z);
    return std::hypot(of_x.high - of_x.mean, of_z.mean - of_z.low);
  }

  void add_stakes(PlanStakes& all, double alpha, bool present) {
    const Assignment plan = solve(problem_, alpha, {}, false);
    const std::vector<double> prices = lp_prices(problem_, alpha);
    const double scale = std::max(std::fabs(plan.total_utility), std::numeric_limits<double>::min());
    if (present) all.utility = plan.total_utility;
    for (std::size_t i = 0; i < all.contexts.size(); ++i) {
      const PlanningItem& item = problem_.items()[i];
      ContextStakes& context = all.contexts[i];
      const PlanChoice& choice = plan.choices[i];
      const auto value = [&](std::uint32_t o, std::size_t t) {
        return item.frequency * (alpha * problem_.quality(o) - problem_.ttft_seconds(o, t)) -
               prices[t] * static_cast<double>(problem_.bytes(o));
      };
      const double unstored = item.frequency * (alpha * item.prefill_quality - item.prefill_seconds);
      const bool stored = choice.tier != not_stored;
      const double chosen = stored ? value(choice.option, static_cast<std::size_t>(choice.tier)) : unstored;
      const std::size_t form = stored && forms_[choice.option] != no_form ? forms_[choice.option] : 0;
      if (present) context.chosen = form;
      double most = 0, expected = 0;
      const auto challenge = [&](std::size_t x, double worth) {
        const double doubt = item.frequency * alpha * doubt_of_difference(i, x, form);
        if (!(doubt > 0)) return;
        const double behind = std::min(0.0, worth - chosen);
        most = std::max(most, std::max(0.0, behind + doubt) / scale);
        const double gain = expected_gain(behind, doubt / z95) / scale;
        expected = std::max(expected, gain);
        context.stakes[x] = std::max(context.stakes[x], present ? gain : weight_of_other_alphas * gain);
      };
      challenge(0, unstored);
      for (std::uint32_t o = item.first; o < item.first + item.count; ++o) {
        if (forms_[o] == no_form || context.dropped[forms_[o]]) continue;
        double best = -std::numeric_limits<double>::infinity();
        for (std::size_t t = 0; t < problem_.tiers(); ++t)
          if (problem_.bytes(o) <= problem_.budget(t)) best = std::max(best, value(o, t));
        if (std::isfinite(best)) challenge(forms_[o], best);
      }
      if (!present) continue;
      context.expected = expected;
      context.regret = most;
    }
  }

  const Snapshot& planned_;
  const MeasuredGrid& grid_;
  const GridBeliefs& beliefs_;
  const PlanningProblem problem_;
  const std::vector<std::size_t> forms_;
};

}  // namespace

std::vector<FormShare> form_shares(const Snapshot& live, const MeasuredGrid& grid) {
  std::vector<FormShare> shares(grid.forms().size(), {0, 0});
  std::vector<int> made(shares.size(), 0);
  for (std::size_t c = 0; c < grid.contexts().size(); ++c) {
    const ContextFacts& facts = live.contexts[c];
    if (facts.full_bytes == 0 || facts.tokens <= 0) continue;
    for (std::size_t f = 0; f < shares.size(); ++f) {
      const CellAnswers& cell = grid.cell(c, f);
      if (cell.bytes == 0) continue;
      shares[f].bytes += static_cast<double>(cell.bytes) / static_cast<double>(facts.full_bytes);
      shares[f].tokens += static_cast<double>(cell.kept_tokens) / facts.tokens;
      ++made[f];
    }
  }
  for (std::size_t f = 0; f < shares.size(); ++f) {
    const double left = 1 - grid.forms()[f].removed_fraction;
    shares[f] = made[f] > 0 ? FormShare{shares[f].bytes / made[f], shares[f].tokens / made[f]} : FormShare{left, left};
  }
  return shares;
}

std::vector<ProfilePoint> grid_points(const ContextFacts& context, std::size_t index, const MeasuredGrid& grid,
                                      const GridBeliefs& beliefs, const std::vector<FormShare>& shares) {
  std::vector<ProfilePoint> points;
  points.reserve(grid.forms().size());
  for (std::size_t f = 0; f < grid.forms().size(); ++f) {
    const CellBelief& belief = beliefs.of(index, f);
    if (!belief.is_known()) continue;
    const CellAnswers& cell = grid.cell(index, f);
    const double shown = cell.n > 0 ? cell.mean() : belief.mean;
    ProfilePoint point;
    point.method = grid.forms()[f].method;
    point.removed_fraction = grid.forms()[f].removed_fraction;
    point.quality = shown;
    point.quality_low = std::min(belief.low, shown);
    point.quality_high = std::max(belief.high, shown);
    point.n = cell.n;
    point.bytes = cell.bytes > 0
                      ? cell.bytes
                      : static_cast<std::uint64_t>(shares[f].bytes * static_cast<double>(context.full_bytes));
    point.kept_tokens =
        cell.bytes > 0 ? cell.kept_tokens : static_cast<int>(std::lround(shares[f].tokens * context.tokens));
    point.expected_quality = belief.mean;
    point.expected_low = belief.low;
    points.push_back(std::move(point));
  }
  return points;
}

Snapshot grid_snapshot(const Snapshot& live, const MeasuredGrid& grid, const GridBeliefs& beliefs) {
  const std::vector<FormShare> shares = form_shares(live, grid);
  Snapshot planned = live;
  planned.candidates = {};
  for (std::size_t c = 0; c < grid.contexts().size(); ++c) {
    auto profile = std::make_shared<ContextProfile>();
    profile->points = grid_points(planned.contexts[c], c, grid, beliefs, shares);
    planned.contexts[c].profile = profile->empty() ? nullptr : std::move(profile);
  }
  return steady_state(std::move(planned));
}

PlanStakes plan_stakes(const Snapshot& planned, const MeasuredGrid& grid, const GridBeliefs& beliefs,
                       const AlphaRange& range) {
  return StakesOfPlans(planned, grid, beliefs).of(range);
}

}  // namespace kvantage::inline schedule
