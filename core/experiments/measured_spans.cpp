#include "core/experiments/measured_spans.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/statistics.h"

namespace kvantage::inline experiments {

namespace {

/// Of two spans that a third one is made of.
std::size_t smaller_n(const MeasuredSpan& one, const MeasuredSpan& other) {
  return one.n == 0 || other.n == 0 ? std::max(one.n, other.n) : std::min(one.n, other.n);
}

}  // namespace

MeasuredSpan measured_value(double value, const std::optional<Interval>& interval, std::size_t n) {
  return {value, value, interval, interval, n};
}

MeasuredSpan measured_mean(std::span<const double> values) {
  return measured_value(mean_of(values), student_interval(values), values.size());
}

MeasuredSpan measured_ratio(std::span<const double> above, std::span<const double> below) {
  std::vector<double> ratios(above.size());
  for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i] = above[i] / below[i];
  return measured_mean(ratios);
}

MeasuredSpan exactly(double value) { return measured_value(value, Interval{value, value}); }

MeasuredSpan span_of(const std::vector<MeasuredSpan>& all) {
  const auto least = std::ranges::min_element(all, {}, &MeasuredSpan::low);
  const auto most = std::ranges::max_element(all, {}, &MeasuredSpan::high);
  return {least->low,
          most->high,
          least->low_interval,
          most->high_interval,
          smaller_n(*least, *most),
          least->is_sampled && most->is_sampled};
}

MeasuredSpan quotient(const MeasuredSpan& above, const MeasuredSpan& below) {
  const auto over_under = [](const std::optional<Interval>& over, const std::optional<Interval>& under) {
    return over && under && under->low > 0 ? std::optional(Interval{over->low / under->high, over->high / under->low})
                                           : std::nullopt;
  };
  return {above.low / below.high,
          above.high / below.low,
          over_under(above.low_interval, below.high_interval),
          over_under(above.high_interval, below.low_interval),
          smaller_n(above, below),
          above.is_sampled && below.is_sampled};
}

MeasuredSpan scaled(const MeasuredSpan& measured, double factor, double offset) {
  const auto end = [&](double value) { return factor * value + offset; };
  const auto ends = [&](const std::optional<Interval>& interval) {
    return interval ? std::optional(Interval{end(interval->low), end(interval->high)}) : std::nullopt;
  };
  MeasuredSpan result{end(measured.low), end(measured.high), ends(measured.low_interval), ends(measured.high_interval),
                      measured.n,        measured.is_sampled};
  if (factor >= 0) return result;
  std::swap(result.low, result.high);
  std::swap(result.low_interval, result.high_interval);
  for (auto* interval : {&result.low_interval, &result.high_interval})
    if (*interval) std::swap((*interval)->low, (*interval)->high);
  return result;
}

MeasuredSpan largest_of(const std::vector<MeasuredSpan>& all) {
  return *std::ranges::max_element(all, {}, &MeasuredSpan::high);
}

namespace {

/// Instead of the bootstrap's: nothing where values differ, or are neither 0 nor 1.
std::optional<Interval> interval_of_alike(std::span<const double> values, std::size_t groups) {
  if (values.empty() || groups < 2) return std::nullopt;
  const double first = values.front();
  if ((first != 0 && first != 1) || !std::ranges::all_of(values, [&](double one) { return one == first; }))
    return std::nullopt;
  return proportion_interval(first == 1 ? groups : 0, groups);
}

}  // namespace

std::optional<Interval> share_interval(std::span<const double> values, std::span<const std::string> groups) {
  const std::set<std::string_view> names(groups.begin(), groups.end());
  if (const auto alike = interval_of_alike(values, names.size())) return alike;
  return bootstrap_interval(values, groups);
}

std::optional<Interval> share_interval(std::span<const double> values) {
  if (const auto alike = interval_of_alike(values, values.size())) return alike;
  return bootstrap_interval(values);
}

MeasuredSpan paired_difference(std::span<const double> above, std::span<const double> below) {
  std::vector<double> differences(above.size());
  for (std::size_t i = 0; i < differences.size(); ++i) differences[i] = above[i] - below[i];
  return measured_value(mean_of(differences), bootstrap_interval(differences), differences.size());
}

std::optional<MeasuredSpan> paired_ratio(std::span<const double> above, std::span<const double> below) {
  const double most = mean_of(below);
  if (most == 0) return {};
  const double times = mean_of(above) / most;
  std::vector<double> linearized(above.size());
  for (std::size_t i = 0; i < linearized.size(); ++i) linearized[i] = times + (above[i] - times * below[i]) / most;
  return measured_value(times, bootstrap_interval(linearized), linearized.size());
}

void add_claim(FigureResult& result, const std::string& claim, const std::optional<MeasuredSpan>& measured,
               bool of_time) {
  if (measured) result.measured.push_back({claim, *measured, of_time});
}

void add_claim(FigureResult& result, const std::string& claim, const std::vector<MeasuredSpan>& all, bool of_time) {
  if (!all.empty()) result.measured.push_back({claim, span_of(all), of_time});
}

void set_sample_size(FigureResult& result, std::size_t n) {
  for (MeasuredClaim& claim : result.measured)
    if (claim.measured.n == 0) claim.measured.n = n;
}

void add_interval_cells(std::vector<Json>& row, const MeasuredSpan& measured) {
  row.emplace_back(measured.low);
  row.push_back(measured.low_interval ? Json(measured.low_interval->low) : Json());
  row.push_back(measured.low_interval ? Json(measured.low_interval->high) : Json());
}

}  // namespace kvantage::inline experiments
