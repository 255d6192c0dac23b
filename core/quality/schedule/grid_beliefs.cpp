#include "core/quality/schedule/grid_beliefs.h"

#include <algorithm>
#include <cmath>

namespace kvantage::inline schedule {
namespace {

constexpr double weight_of_others = 0.25;  // a context that is not similar, relative to one that is
constexpr double near_fraction = 0.1;      // deviation of the Gaussian over removed fractions
constexpr double near_own_fraction = 0.3;  // the same, of the context's own curve
constexpr double own_doubt = 16;           // answers' worth of weight on no difference from relatives
constexpr double weight_of_prior = 4;      // answers' worth, for the variance of own answers
constexpr double least_dispersion = 0.1;
constexpr double default_difference = 0.1;   // between relatives, where few say how much they differ
constexpr double least_difference = 0.03;    // that they differ by at least
constexpr double weight_of_default = 2;      // relatives' worth
constexpr double slack_of_neighbors = 0.05;  // that quality may rise along a curve

/// Sums over cells. Differences of two are sums, too: the cells of the first that the second has not.
struct RelativeSums {
  double n = 0, sum = 0, squares = 0, between = 0, n_squared = 0, cells = 0;

  void add(const CellAnswers& cell) {
    if (cell.n == 0) return;
    const double count = cell.n;
    n += count;
    sum += cell.sum;
    squares += cell.squares;
    between += cell.sum * cell.sum / count;
    n_squared += count * count;
    cells += 1;
  }
  RelativeSums operator-(const RelativeSums& other) const {
    return {n - other.n,
            sum - other.sum,
            squares - other.squares,
            between - other.between,
            n_squared - other.n_squared,
            cells - other.cells};
  }
};

/// Relatives of one cell, weighted.
struct WeightedRelatives {
  RelativeSums sums;
  double weighted_n = 0, weighted_n_squared = 0;  // by the square of the weight

  void add(const RelativeSums& more, double weight) {
    if (!(more.n > 0)) return;
    sums.n += weight * more.n;
    sums.sum += weight * more.sum;
    sums.squares += weight * more.squares;
    sums.between += weight * more.between;
    sums.cells += weight * more.cells;
    weighted_n += weight * weight * more.n;
    weighted_n_squared += weight * weight * more.n_squared;
  }
};

double nearness(const GridForm& a, const GridForm& b, double deviation) {
  const double distance = (a.removed_fraction - b.removed_fraction) / deviation;
  return std::exp(-0.5 * distance * distance);
}

/// The rest of the method's curve on this context, for contexts that have no relatives.
WeightedRelatives own_curve(const MeasuredGrid& grid, std::size_t context, std::size_t form) {
  WeightedRelatives curve;
  for (std::size_t g = 0; g < grid.forms().size(); ++g) {
    if (g == form || grid.forms()[g].method != grid.forms()[form].method) continue;
    RelativeSums own;
    own.add(grid.cell(context, g));
    curve.add(own, nearness(grid.forms()[g], grid.forms()[form], near_own_fraction));
  }
  return curve;
}

/// How much the rest of a context's curve is above that of its relatives, near a form.
double own_offset(const MeasuredGrid& grid, std::size_t context, std::size_t form,
                  const std::vector<WeightedRelatives>& relatives) {
  double sum = 0, weights = own_doubt;
  for (std::size_t g = 0; g < relatives.size(); ++g) {
    const CellAnswers& own = grid.cell(context, g);
    if (g == form || own.n == 0 || grid.forms()[g].method != grid.forms()[form].method) continue;
    const double weight = own.n * nearness(grid.forms()[g], grid.forms()[form], near_own_fraction);
    const RelativeSums& others = relatives[g].sums;
    sum += weight * (own.mean() - (others.n > 0 ? others.sum / others.n : 0.5));
    weights += weight;
  }
  return sum / weights;
}

/// Variance of all scores relative to that of scores that are 0 or 1.
double dispersion_of(const std::vector<RelativeSums>& all) {
  RelativeSums sums;
  for (const RelativeSums& form : all) {
    sums.n += form.n;
    sums.sum += form.sum;
    sums.squares += form.squares;
  }
  if (!(sums.n > 0)) return 1;
  const double mean = sums.sum / sums.n, most = mean * (1 - mean);
  return most > 0 ? std::clamp((sums.squares / sums.n - mean * mean) / most, least_dispersion, 1.0) : 1;
}

/// offset: of the context's curve from its relatives'.
CellBelief belief_of(const CellAnswers& own, const WeightedRelatives& relatives, double offset, double dispersion) {
  const RelativeSums& of = relatives.sums;
  CellBelief belief{.n = own.n, .relatives = of.n};
  if (!belief.is_known()) return belief;
  const double all = of.n + own.n;
  const double smoothed = (of.sum + own.sum + 0.5) / (all + 1), most = smoothed * (1 - smoothed);
  // Of one answer, within a cell; at most that of a score that is 0 or 1.
  const double own_spread = own.n > 0 ? own.squares - own.sum * own.sum / own.n : 0;
  const double spread = std::max(0.0, of.squares - of.between) + own_spread;
  const double freedom = std::max(0.0, of.n - of.cells) + std::max(0, own.n - 1);
  const double of_one = std::clamp((spread + 2 * most) / (freedom + 2), 1e-4, std::max(1e-4, most));
  double prior = 0.5, prior_variance = 1.0 / 12;  // anything from 0 to 1
  if (of.n > 0) {
    prior = of.sum / of.n;
    const double others = std::max(0.0, of.cells - 1);
    const double seen = std::max(0.0, of.between / of.n - prior * prior);
    const double differ = others > 0 ? std::max(0.0, seen * of.cells / others - of_one * of.cells / of.n) : 0;
    const double difference = std::max(
        least_difference * least_difference,
        (differ * others + default_difference * default_difference * weight_of_default) / (others + weight_of_default));
    prior_variance =
        difference + (of_one * relatives.weighted_n + difference * relatives.weighted_n_squared) / (of.n * of.n);
  }
  double variance = prior_variance;
  prior = std::clamp(prior + offset, 0.0, 1.0);
  belief.mean = prior;
  if (own.n > 0) {
    // Relatives that agree say nothing of how much the answers of a context that differs vary.
    const double near_own = (own.sum + weight_of_prior * prior) / (own.n + weight_of_prior);
    const double own_variance = std::max(of_one, dispersion * near_own * (1 - near_own)) / own.n;
    variance = 1 / (1 / own_variance + 1 / prior_variance);
    belief.mean = variance * (own.mean() / own_variance + prior / prior_variance);
  }
  belief.mean = std::clamp(belief.mean, 0.0, 1.0);
  const ScoreInterval interval =
      score_interval(belief.mean, std::max(most, belief.mean * (1 - belief.mean)) / variance);
  belief.low = interval.low;
  belief.high = interval.high;
  return belief;
}

}  // namespace

ScoreInterval score_interval(double mean, double n) {
  if (!(n > 0)) return {};
  const double z2 = z95 * z95, divisor = 1 + z2 / n;
  const double center = (mean + z2 / (2 * n)) / divisor;
  const double half = z95 / divisor * std::sqrt(std::max(0.0, mean * (1 - mean) / n) + z2 / (4 * n * n));
  return {std::clamp(center - half, 0.0, mean), std::clamp(center + half, mean, 1.0)};
}

GridBeliefs::GridBeliefs(const MeasuredGrid& grid)
    : forms_(grid.forms().size()), beliefs_(forms_ * grid.contexts().size()) {
  const std::size_t contexts = grid.contexts().size();
  std::vector<RelativeSums> all(forms_), similar(forms_ * grid.groups());
  for (std::size_t c = 0; c < contexts; ++c)
    for (std::size_t f = 0; f < forms_; ++f) {
      all[f].add(grid.cell(c, f));
      similar[grid.group(c) * forms_ + f].add(grid.cell(c, f));
    }
  const double dispersion = dispersion_of(all);
  std::vector<WeightedRelatives> relatives(forms_);
  for (std::size_t c = 0; c < contexts; ++c) {
    const RelativeSums* group = &similar[grid.group(c) * forms_];
    for (std::size_t f = 0; f < forms_; ++f) {
      relatives[f] = {};
      for (std::size_t g = 0; g < forms_; ++g) {
        if (grid.forms()[g].method != grid.forms()[f].method) continue;
        RelativeSums own;
        own.add(grid.cell(c, g));
        const double near = nearness(grid.forms()[g], grid.forms()[f], near_fraction);
        relatives[f].add(all[g] - group[g], weight_of_others * near);
        relatives[f].add(group[g] - own, near);
      }
    }
    for (std::size_t f = 0; f < forms_; ++f) {
      const CellAnswers& own = grid.cell(c, f);
      beliefs_[c * forms_ + f] = relatives[f].sums.n > 0
                                     ? belief_of(own, relatives[f], own_offset(grid, c, f, relatives), dispersion)
                                     : belief_of(own, own_curve(grid, c, f), 0, dispersion);
    }
    bound_by_neighbors(grid, c);
  }
}

void GridBeliefs::bound_by_neighbors(const MeasuredGrid& grid, std::size_t context) {
  CellBelief* curve = &beliefs_[context * forms_];
  for (std::size_t f = 0; f < forms_; ++f) {
    if (curve[f].n > 0 || !curve[f].is_known()) continue;
    const GridForm& form = grid.forms()[f];
    double low = curve[f].low, high = curve[f].high;
    for (std::size_t g = 0; g < forms_; ++g) {
      if (curve[g].n == 0 || grid.forms()[g].method != form.method) continue;
      if (grid.forms()[g].removed_fraction < form.removed_fraction)
        high = std::min(high, curve[g].high + slack_of_neighbors);
      else
        low = std::max(low, curve[g].low - slack_of_neighbors);
    }
    if (low > high) continue;  // a curve that rises: its neighbors say nothing
    curve[f].low = low;
    curve[f].high = high;
    curve[f].mean = std::clamp(curve[f].mean, low, high);
  }
}

}  // namespace kvantage::inline schedule
