// How good an answer is against what was expected. A metric is a named function of two texts; a metric = one file
// quality_<name>.cpp plus one line in the table of quality.cpp. Means come with n and a bootstrap interval: a quality
// without its interval is not shown anywhere.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kvantage {

struct QualityMetric {
  std::string name;     // as in files and on the command line, e.g. "token_f1"
  std::string meaning;  // one line for tooltips and reports
  std::function<double(std::string_view answer, std::string_view gold)> score;  // 0 (bad) to 1 (equal)
};

/// All metrics that need nothing but text, in the order in which they are shown.
std::span<const QualityMetric> quality_metrics();
/// The metric of that name or nullptr.
const QualityMetric* find_quality_metric(std::string_view name);

/// 1 if equal after SQuAD normalisation, else 0 (Rajpurkar et al. 2016).
double exact_match(std::string_view answer, std::string_view gold);
/// Harmonic mean of token precision and recall after SQuAD normalisation; two empty answers score 1 (SQuAD 2.0).
double token_f1(std::string_view answer, std::string_view gold);
/// Lower case, without ASCII punctuation and the articles a, an, the; words separated by single spaces.
std::string squad_normalized(std::string_view text);

/// The best score over several accepted answers, as SQuAD does; 0 when there are none.
double best_score(const QualityMetric& metric, std::string_view answer, std::span<const std::string> golds);

struct MeanWithInterval {
  double mean = 0;
  double low = 0;  // 95 % percentile bootstrap interval of the mean
  double high = 0;
  std::size_t n = 0;
};
/// Mean of the scores and its 95 % interval (Efron's percentile bootstrap); all zero for n = 0, no width for n = 1.
MeanWithInterval mean_with_interval(std::span<const double> scores, std::uint64_t seed = 0, int resamples = 1000);

}  // namespace kvantage
