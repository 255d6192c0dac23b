#include "core/base/two_level_bootstrap.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/base/random.h"
#include "core/base/student.h"

namespace kvantage {
namespace {

constexpr std::size_t draws = 2000;
constexpr std::uint64_t context_seed = 20070615, order_seed = 19080325;  // the former as in bootstrap.cpp

double variance_of(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares / static_cast<double>(values.size() - 1);
}

/// The questions of each context, contexts in name order.
struct ContextPlaces {
  std::vector<std::size_t> place;  // [question]
  std::size_t count = 0;

  explicit ContextPlaces(const std::vector<std::string>& groups) : place(groups.size()) {
    std::map<std::string_view, std::size_t> names;
    for (const std::string& name : groups) names[name];
    for (auto& [name, at] : names) at = count++;
    for (std::size_t q = 0; q < groups.size(); ++q) place[q] = names[groups[q]];
  }
};

/// Variance of the difference between runs, and how well it is known.
struct RunLevel {
  std::optional<double> variance;
  double freedom = 0;
  double of_one_run = 0;  // the variance with one run of each side
};

/// `before`, `after`: one value per run.
RunLevel run_level(const std::vector<double>& before, const std::vector<double>& after, bool in_blocks) {
  const auto r = static_cast<double>(before.size()), s = static_cast<double>(after.size());
  if (before.size() < 2 || after.size() < 2) return {};
  if (in_blocks && before.size() == after.size()) {
    std::vector<double> differences(before.size());
    for (std::size_t i = 0; i < before.size(); ++i) differences[i] = after[i] - before[i];
    const double of_one = variance_of(differences);
    return {of_one / r, r - 1, of_one};
  }
  const double of_before = variance_of(before), of_after = variance_of(after);
  const double one = of_before / r, other = of_after / s, both = one + other;
  const double squares = one * one / (r - 1) + other * other / (s - 1);  // Welch 1947
  return {both, squares > 0 ? both * both / squares : r + s - 2, of_before + of_after};
}

/// The same distribution for every seed: quantiles at even shares, in a drawn order.
std::vector<double> student_draws(double freedom) {
  std::vector<double> values(draws);
  for (std::size_t i = 0; i < draws; ++i)
    values[i] = student_quantile((static_cast<double>(i) + 0.5) / static_cast<double>(draws), freedom);
  Random(order_seed).shuffle(std::span(values));
  return values;
}

/// The interval around `difference`: deviations of the drawn contexts, scaled to the net variance, plus the run level.
Interval interval_of(double difference, const std::vector<double>& drawn, double scale, const RunLevel& runs) {
  std::vector<double> values = drawn;
  if (scale != 1)
    for (double& value : values) value = difference + scale * (value - difference);
  if (runs.variance && *runs.variance > 0) {
    const std::vector<double> run_draws = student_draws(runs.freedom);
    const double spread = std::sqrt(*runs.variance);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += spread * run_draws[i];
  }
  return {percentile(values, 0.025), percentile(values, 0.975)};
}

double variance_around(double center, const std::vector<double>& drawn) {
  double squares = 0;
  for (const double value : drawn) squares += (value - center) * (value - center);
  return drawn.empty() ? 0 : squares / static_cast<double>(drawn.size());
}

/// Part of the variance of the mean that is noise of single answers: what a run and a question do not explain, summed
/// by context. `values`: [run][question].
double answer_variance(const std::vector<std::vector<double>>& values, const ContextPlaces& contexts) {
  const std::size_t runs = values.size(), questions = contexts.place.size();
  if (runs < 2 || contexts.count < 2) return 0;
  std::vector<double> of_question(questions, 0);
  for (const auto& run : values)
    for (std::size_t q = 0; q < questions; ++q) of_question[q] += run[q] / static_cast<double>(runs);
  const double mean = mean_of(of_question), n = static_cast<double>(questions);
  double squares = 0;
  std::vector<double> of_context(contexts.count);
  for (const auto& run : values) {
    const double of_run = mean_of(run);
    std::fill(of_context.begin(), of_context.end(), 0);
    for (std::size_t q = 0; q < questions; ++q)
      of_context[contexts.place[q]] += (run[q] - of_question[q] - of_run + mean) / n;
    for (const double sum : of_context) squares += sum * sum;
  }
  const double r = static_cast<double>(runs), c = static_cast<double>(contexts.count);
  return squares / (r * (r - 1)) * c / (c - 1);
}

double answer_variance(const RepeatedPairs& pairs, const ContextPlaces& contexts) {
  if (!pairs.in_blocks || pairs.before.size() != pairs.after.size())
    return answer_variance(pairs.before, contexts) + answer_variance(pairs.after, contexts);
  std::vector<std::vector<double>> differences = pairs.after;
  for (std::size_t i = 0; i < differences.size(); ++i)
    for (std::size_t q = 0; q < differences[i].size(); ++q) differences[i][q] -= pairs.before[i][q];
  return answer_variance(differences, contexts);
}

std::vector<double> means_of(const std::vector<std::vector<double>>& runs) {
  std::vector<double> means;
  means.reserve(runs.size());
  for (const auto& run : runs) means.push_back(mean_of(run));
  return means;
}

/// Fills the interval from the draws of the contexts. `noise`: of single answers, in both levels.
void settle(TwoLevelDifference& made, const std::vector<double>& drawn, std::size_t contexts, double noise,
            const RunLevel& runs) {
  made.between_runs = runs.variance;
  made.freedom = runs.freedom;
  made.of_one_run = runs.of_one_run;
  const double c = static_cast<double>(contexts), seen = variance_around(made.difference, drawn);
  made.contexts = std::max(0.0, seen * c / (c - 1) - noise);
  const double scale = runs.variance && seen > 0 ? std::sqrt(made.contexts / seen) : 1;
  made.interval = interval_of(made.difference, drawn, scale, runs);
}

}  // namespace

TwoLevelDifference two_level_difference(const RepeatedPairs& pairs) {
  TwoLevelDifference made;
  const ContextPlaces contexts(pairs.groups);
  const std::vector<double> before = means_of(pairs.before), after = means_of(pairs.after);
  made.difference = mean_of(after) - mean_of(before);
  const RunLevel runs = run_level(before, after, pairs.in_blocks);
  if (contexts.count < 2) return made;
  std::vector<double> sums(contexts.count, 0), counts(contexts.count, 0);
  for (std::size_t q = 0; q < contexts.place.size(); ++q) {
    double of_before = 0, of_after = 0;
    for (const auto& run : pairs.before) of_before += run[q];
    for (const auto& run : pairs.after) of_after += run[q];
    sums[contexts.place[q]] +=
        of_after / static_cast<double>(pairs.after.size()) - of_before / static_cast<double>(pairs.before.size());
    ++counts[contexts.place[q]];
  }
  Random random(context_seed);
  std::vector<double> drawn(draws);
  for (double& value : drawn) {
    double sum = 0, n = 0;
    for (std::size_t i = 0; i < contexts.count; ++i) {
      const std::size_t at = random.below(contexts.count);
      sum += sums[at];
      n += counts[at];
    }
    value = sum / n;
  }
  settle(made, drawn, contexts.count, answer_variance(pairs, contexts), runs);
  return made;
}

TwoLevelDifference two_level_percentile_difference(const RepeatedPairs& pairs, double fraction) {
  TwoLevelDifference made;
  const ContextPlaces contexts(pairs.groups);
  const auto pooled = [](const std::vector<std::vector<double>>& runs) {
    std::vector<double> all;
    for (const auto& run : runs) all.insert(all.end(), run.begin(), run.end());
    return all;
  };
  const auto of_runs = [&](const std::vector<std::vector<double>>& runs) {
    std::vector<double> values;
    for (const auto& run : runs) values.push_back(percentile(run, fraction));
    return values;
  };
  made.difference = percentile(pooled(pairs.after), fraction) - percentile(pooled(pairs.before), fraction);
  const RunLevel runs = run_level(of_runs(pairs.before), of_runs(pairs.after), pairs.in_blocks);
  if (contexts.count < 2) return made;
  std::vector<std::vector<std::size_t>> questions(contexts.count);
  for (std::size_t q = 0; q < contexts.place.size(); ++q) questions[contexts.place[q]].push_back(q);
  Random random(context_seed);
  std::vector<double> drawn(draws), before, after;
  for (double& value : drawn) {
    before.clear();
    after.clear();
    for (std::size_t i = 0; i < contexts.count; ++i)
      for (const std::size_t q : questions[random.below(contexts.count)]) {
        for (const auto& run : pairs.before) before.push_back(run[q]);
        for (const auto& run : pairs.after) after.push_back(run[q]);
      }
    value = percentile(after, fraction) - percentile(before, fraction);
  }
  settle(made, drawn, contexts.count, 0, runs);
  return made;
}

std::optional<PowerEstimate> runs_to_find(double difference, const TwoLevelDifference& seen, std::size_t runs,
                                          std::size_t contexts) {
  if (!seen.between_runs || runs < 2 || contexts < 2 || !(difference > 0)) return std::nullopt;
  constexpr double wanted = 0.9, trusted = 0.2;
  constexpr std::size_t most_runs = 200;
  const double of_one = seen.of_one_run * seen.freedom / std::max(chi_square_quantile(trusted, seen.freedom), 1e-9);
  const auto finds = [&](std::size_t count, double of_contexts) {
    const double spread = std::sqrt(of_one / static_cast<double>(count) + of_contexts);
    if (!(spread > 0)) return true;
    const double freedom = static_cast<double>(count - 1);
    return student_power(difference / spread, student_quantile(0.975, freedom), freedom) >= wanted;
  };
  for (std::size_t count = 2; count <= most_runs; ++count)
    if (finds(count, seen.contexts)) return PowerEstimate{difference, count, contexts};
  // The contexts alone hide it: how many of them would not, with the runs that there are now or more?
  const std::size_t count = std::clamp<std::size_t>(runs, 5, most_runs);
  for (std::size_t factor = 2; factor <= 64; factor *= 2)
    if (finds(most_runs, seen.contexts / static_cast<double>(factor)))
      return PowerEstimate{difference, finds(count, seen.contexts / static_cast<double>(factor)) ? count : 0,
                           contexts * factor};
  return PowerEstimate{difference, 0, 0};
}

}  // namespace kvantage
