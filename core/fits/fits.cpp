#include "core/fits/fits.h"

#include <algorithm>
#include <cmath>

#include "core/base/statistics.h"

namespace kvantage::inline fits {
namespace {

constexpr std::size_t window_samples = 64;

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Line robust_line(std::span<const double> x, std::span<const double> y, const Line& prior) {
  if (x.empty()) return prior;
  const auto [low, high] = std::ranges::minmax(x);
  if (high <= 0) return {median({y.begin(), y.end()}), prior.slope};
  if ((high - low) / high < 0.1) {
    std::vector<double> slopes;
    for (std::size_t i = 0; i < x.size(); ++i) slopes.push_back((y[i] - prior.intercept) / x[i]);
    const double slope = median(std::move(slopes));
    if (slope > 0) return {prior.intercept, slope};
    return {median({y.begin(), y.end()}), 0.0};
  }
  std::vector<double> slopes;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = i + 1; j < x.size(); ++j)
      if (std::fabs(x[i] - x[j]) / high >= 0.05) slopes.push_back((y[i] - y[j]) / (x[i] - x[j]));
  Line line;
  line.slope = median(std::move(slopes));
  if (line.slope <= 0) line.slope = prior.slope;
  std::vector<double> rests;
  for (std::size_t i = 0; i < x.size(); ++i) rests.push_back(y[i] - line.slope * x[i]);
  line.intercept = std::max(0.0, median(std::move(rests)));
  return line;
}

void TierFit::add(double bytes, double kept_tokens, double device_seconds, double decode_seconds, bool anchor) {
  const bool known = samples_ > 0 || limits_.bytes_per_second > 0 || limits_.latency_seconds > 0;
  const Sample sample{bytes, kept_tokens, device_seconds, decode_seconds, known ? this->device_seconds(bytes) : 0.0};
  if (anchor) {
    anchors_.push_back(sample);
  } else {
    window_.push_back(sample);
    if (window_.size() > window_samples) window_.pop_front();
  }
  ++samples_;
  fit();
}

void TierFit::fit() {
  std::vector<Sample> samples(anchors_);
  samples.insert(samples.end(), window_.begin(), window_.end());
  std::vector<double> sizes, loads, tokens, decodes;
  for (const Sample& sample : samples) {
    sizes.push_back(sample.bytes);
    loads.push_back(sample.device_seconds);
    if (sample.kept_tokens <= 0) continue;
    tokens.push_back(sample.kept_tokens);
    decodes.push_back(sample.decode_seconds);
  }
  const Line prior{model_.latency_seconds - unpack_base_, samples_ > 1 ? 1.0 / model_.bytes_per_second : 0.0};
  const Line line = robust_line(sizes, loads, prior);
  model_.bytes_per_second = line.slope > 1.0 / fastest ? 1.0 / line.slope : fastest;
  if (limits_.bytes_per_second > 0)
    model_.bytes_per_second = std::min(model_.bytes_per_second, limits_.bytes_per_second);
  std::vector<double> rests;
  for (std::size_t i = 0; i < sizes.size(); ++i) rests.push_back(loads[i] - sizes[i] / model_.bytes_per_second);
  const Line unpack = robust_line(tokens, decodes, {unpack_base_, model_.decode_seconds_per_token});
  unpack_base_ = unpack.intercept;
  model_.decode_seconds_per_token = unpack.slope;
  model_.latency_seconds = std::max({0.0, limits_.latency_seconds, median(std::move(rests))}) + unpack_base_;
  double squares = 0;
  for (const Sample& sample : samples) {
    const double difference =
        sample.device_seconds + sample.decode_seconds - model_.seconds(sample.bytes, sample.kept_tokens);
    squares += difference * difference;
  }
  model_.residual_seconds = std::sqrt(squares / static_cast<double>(samples.size()));
}

namespace {

FitResiduals residuals_of(const std::vector<FittedLoad>& loads, double FittedLoad::*predicted) {
  std::vector<double> fractions;
  for (const FittedLoad& load : loads)
    if (!load.timing && load.seconds > 0 && load.*predicted > 0)
      fractions.push_back(std::fabs(load.seconds - load.*predicted) / load.seconds);
  return {fractions.size(), percentile(fractions, 0.5), percentile(fractions, 0.95)};
}

}  // namespace

TierFitReport TierFit::report() const {
  TierFitReport report;
  report.model = model_;
  report.samples = static_cast<std::size_t>(samples_);
  report.loads.reserve(anchors_.size() + window_.size());
  const auto add = [&](const Sample& sample, bool timing) {
    report.loads.push_back(
        {sample.bytes, sample.device_seconds, device_seconds(sample.bytes), sample.predicted_seconds, timing});
  };
  for (const Sample& sample : anchors_) add(sample, true);
  for (const Sample& sample : window_) add(sample, false);
  report.fitted = residuals_of(report.loads, &FittedLoad::fitted_seconds);
  report.predicted = residuals_of(report.loads, &FittedLoad::predicted_seconds);
  return report;
}

PrefillModel fit_prefill(std::span<const double> tokens, std::span<const double> seconds) {
  PrefillModel model;
  if (tokens.empty()) return model;
  // Least squares for seconds = b * t + c * t^2, weighted by 1/seconds^2 so that short contexts count equally.
  double tt = 0, tq = 0, qq = 0, ty = 0, qy = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const double weight = 1.0 / std::max(seconds[i] * seconds[i], 1e-12);
    const double t = tokens[i], q = t * t;
    tt += weight * t * t;
    tq += weight * t * q;
    qq += weight * q * q;
    ty += weight * t * seconds[i];
    qy += weight * q * seconds[i];
  }
  const double determinant = tt * qq - tq * tq;
  if (determinant > 1e-9 * tt * qq) {
    model.seconds_per_token = (ty * qq - qy * tq) / determinant;
    model.seconds_per_token_squared = (qy * tt - ty * tq) / determinant;
  }
  if (model.seconds_per_token <= 0) {
    model.seconds_per_token = 0;
    model.seconds_per_token_squared = qy / qq;
  } else if (determinant <= 1e-9 * tt * qq || model.seconds_per_token_squared < 0) {
    model.seconds_per_token = ty / tt;
    model.seconds_per_token_squared = 0;
  }
  return model;
}

QuestionModel fit_question(std::span<const double> kept_tokens, std::span<const double> seconds) {
  const Line line = robust_line(kept_tokens, seconds, {});
  return {line.intercept, line.slope};
}

}  // namespace kvantage::inline fits
