#include "core/policy/lp_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/policy/utility.h"

namespace kvantage::inline policy {

namespace {

constexpr std::size_t priced_contexts = 8192;
constexpr double wanted_slack = 1e-7;  // as a share of what storing can gain

/// Bound and subgradient at given prices over every stride-th context, scaled up.
class Dual {
 public:
  Dual(const PlanningProblem& problem, double alpha) : problem_(problem), alpha_(alpha) {}

  double at(const std::vector<double>& prices, std::size_t stride, std::vector<double>& gradient) const {
    const auto& items = problem_.items();
    const std::size_t tiers = problem_.tiers();
    std::vector<double> used(tiers, 0);
    double sum = 0;
    for (std::size_t i = 0; i < items.size(); i += stride) {
      const PlanningItem& item = items[i];
      if (item.fixed) {
        if (item.fixed_tier == not_stored) {
          sum += unstored(item);
          continue;
        }
        const auto t = static_cast<std::size_t>(item.fixed_tier);
        const double bytes = static_cast<double>(problem_.bytes(item.first));
        sum += utility(alpha_, problem_.quality(item.first), problem_.ttft_seconds(item.first, t), item.frequency) -
               prices[t] * bytes;
        used[t] += bytes;
        continue;
      }
      double best = unstored(item), best_bytes = 0;
      std::size_t best_tier = 0;
      for (std::size_t t = 0; t < tiers; ++t) {
        const double price = prices[t];
        // What is larger than the tier fits in no assignment, even if the relaxation could place a part of it.
        const std::uint64_t limit = problem_.budget(t);
        for (std::uint32_t o = item.first; o < item.first + item.count && problem_.bytes(o) <= limit; ++o) {
          const double bytes = static_cast<double>(problem_.bytes(o));
          const double value =
              item.frequency * (alpha_ * problem_.quality(o) - problem_.ttft_seconds(o, t)) - price * bytes;
          if (value <= best) continue;
          best = value;
          best_bytes = bytes;
          best_tier = t;
        }
      }
      sum += best;
      if (best_bytes > 0) used[best_tier] += best_bytes;
    }
    const std::size_t seen = (items.size() + stride - 1) / std::max<std::size_t>(stride, 1);
    const double scale = seen > 0 ? static_cast<double>(items.size()) / static_cast<double>(seen) : 0;
    gradient.resize(tiers);
    double bound = sum * scale;
    for (std::size_t t = 0; t < tiers; ++t) {
      const double budget = static_cast<double>(problem_.budget(t));
      if (prices[t] > 0) bound += prices[t] * budget;  // an unlimited budget times a price of 0 is 0
      gradient[t] = budget - used[t] * scale;
    }
    return bound;
  }

  double unstored(const PlanningItem& item) const {
    return utility(alpha_, item.prefill_quality, item.prefill_seconds, item.frequency);
  }

 private:
  const PlanningProblem& problem_;
  double alpha_;
};

/// Shrinks an ellipsoid around the best prices of the tiers whose budget binds.
class PriceSearch {
 public:
  PriceSearch(const Dual& dual, std::vector<std::size_t> dimensions, std::size_t tiers, double prefill_utility)
      : dual_(dual), dimensions_(std::move(dimensions)), prices_(tiers, 0), prefill_utility_(prefill_utility) {}

  /// Starts from a ball of these radii around a center; ends when the bound is known to `slack` of what storing gains,
  /// or after the maximum rounds.
  LpBound run(std::vector<double> center, const std::vector<double>& radii, std::size_t stride, double slack,
              int rounds) {
    const std::size_t n = dimensions_.size();
    std::vector<double> shape(n * n, 0), gradient, cut(n), direction(n);
    for (std::size_t d = 0; d < n; ++d) shape[d * n + d] = radii[d] * radii[d];
    LpBound best;
    best.utility = std::numeric_limits<double>::infinity();
    best.prefill_utility = prefill_utility_;
    double least = -std::numeric_limits<double>::infinity();  // proven lower limit of the least bound
    for (int round = 0; round < rounds; ++round) {
      const auto outside = std::find_if(center.begin(), center.end(), [](double price) { return price < 0; });
      const bool feasible = outside == center.end();
      double bound = 0;
      if (feasible) {
        for (std::size_t d = 0; d < n; ++d) prices_[dimensions_[d]] = center[d];
        bound = dual_.at(prices_, stride, gradient);
        for (std::size_t d = 0; d < n; ++d) cut[d] = gradient[dimensions_[d]];
        if (bound < best.utility) {
          best.utility = bound;
          best.prices = prices_;
        }
      } else {
        std::fill(cut.begin(), cut.end(), 0);
        cut[static_cast<std::size_t>(outside - center.begin())] = -1;
      }
      double length = 0;
      for (std::size_t a = 0; a < n; ++a) {
        direction[a] = 0;
        for (std::size_t b = 0; b < n; ++b) direction[a] += shape[a * n + b] * cut[b];
        length += direction[a] * cut[a];
      }
      length = std::sqrt(std::max(length, 0.0));
      if (feasible) least = std::max(least, bound - length);
      best.slack = std::max(0.0, best.utility - least);
      if (!(length > 0) || best.slack <= slack * (best.utility - prefill_utility_)) break;
      shrink(center, shape, direction, length);
    }
    return best;
  }

 private:
  static void shrink(std::vector<double>& center, std::vector<double>& shape, const std::vector<double>& direction,
                     double length) {
    const std::size_t n = center.size();
    const double size = static_cast<double>(n);
    const double grown = n > 1 ? size * size / (size * size - 1) : 0.25;  // along one axis: the remaining half
    const double taken = n > 1 ? 2 / (size + 1) : 0;
    for (std::size_t a = 0; a < n; ++a) {
      center[a] -= direction[a] / length / (size + 1);
      for (std::size_t b = 0; b < n; ++b)
        shape[a * n + b] = grown * (shape[a * n + b] - taken * direction[a] * direction[b] / (length * length));
    }
  }

  const Dual& dual_;
  std::vector<std::size_t> dimensions_;
  std::vector<double> prices_;
  double prefill_utility_;
};

}  // namespace

namespace {

LpBound min_bound(const PlanningProblem& problem, double alpha, bool sample_only) {
  const Dual dual(problem, alpha);
  const std::vector<double> free_of_charge(problem.tiers(), 0);
  std::vector<double> gradient;
  LpBound bound;
  bound.utility = dual.at(free_of_charge, 1, gradient);
  bound.prices = free_of_charge;
  double highest = 0;  // no tier is used above this price per byte
  for (const PlanningItem& item : problem.items()) {
    bound.prefill_utility += dual.unstored(item);
    if (item.fixed || item.count == 0 || item.frequency <= 0) continue;
    for (std::size_t t = 0; t < problem.tiers(); ++t)
      for (std::uint32_t o = item.first; o < item.first + item.count; ++o) {
        const double bytes = static_cast<double>(problem.bytes(o));
        const double gain =
            utility(alpha, problem.quality(o), problem.ttft_seconds(o, t), item.frequency) - dual.unstored(item);
        if (bytes > 0) highest = std::max(highest, gain / bytes);
      }
  }
  // A tier whose budget holds all possible entries needs no price.
  std::vector<std::size_t> dimensions;
  double most = 0;
  for (const PlanningItem& item : problem.items())
    if (item.count > 0) most += static_cast<double>(problem.bytes(item.first + item.count - 1));
  for (std::size_t t = 0; t < problem.tiers(); ++t)
    if (static_cast<double>(problem.budget(t)) < most) dimensions.push_back(t);
  if (dimensions.empty() || !(highest > 0)) return bound;

  const std::size_t n = dimensions.size();
  PriceSearch search(dual, dimensions, problem.tiers(), bound.prefill_utility);
  std::vector<double> center(n, highest / 2), radii(n, highest / 2 * std::sqrt(static_cast<double>(n)));
  const std::size_t stride = problem.items().size() / priced_contexts + 1;
  constexpr int rounds = 2000;
  LpBound found = search.run(center, radii, stride, wanted_slack, rounds);
  if (stride > 1 && sample_only) return found;
  if (stride > 1) {  // the sample gives the starting point
    for (std::size_t d = 0; d < n; ++d) {
      center[d] = found.prices[dimensions[d]];
      radii[d] = 0.03 * center[d] + 1e-6 * highest;
    }
    found = search.run(center, radii, 1, wanted_slack, 60);
  }
  return found.utility < bound.utility ? found : bound;
}

}  // namespace

LpBound lp_bound(const PlanningProblem& problem, double alpha) { return min_bound(problem, alpha, false); }

std::vector<double> lp_prices(const PlanningProblem& problem, double alpha) {
  return min_bound(problem, alpha, true).prices;
}

double lp_gap(const LpBound& bound, double achieved_utility) {
  const double gain = bound.utility - bound.prefill_utility;
  return gain > 0 ? (bound.utility - achieved_utility) / gain : 0;
}

double lp_gap(const Snapshot& snapshot, const Plan& plan) {
  return lp_gap(lp_bound(PlanningProblem(snapshot), snapshot.alpha), plan.total_utility);
}

}  // namespace kvantage::inline policy
