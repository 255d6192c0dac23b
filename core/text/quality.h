// How good an answer is against what was expected. A metric compares either words (two texts, computed here, one file
// quality_<name>.cpp each), or meaning (vectors of an Embedder), or the model's own predictions (LogitFigures, measured
// by the engine). All are lines of one table in quality.cpp; all give 0 (bad) to 1 (equal). What a metric compares with
// is part of it: metrics of words take the gold answers, the best of several, and where a question has none the
// reference answer, which is the model's own greedy answer over the uncompressed cache; the others always take the
// reference answer. Means come with n and a bootstrap interval: a quality without its interval is not shown anywhere.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace kvantage {

enum class QualityBasis : std::uint8_t { words, embeddings, logits };

struct QualityMetric {
  std::string name;     // as in files and on the command line, e.g. "token_f1"
  std::string meaning;  // one line for tooltips and reports
  QualityBasis basis = QualityBasis::words;
  std::function<double(std::string_view answer, std::string_view expected)> score = {};  // words only: of two texts
};

/// All metrics, in the order in which they are shown.
std::span<const QualityMetric> quality_metrics();
/// The metric of that name or nullptr.
const QualityMetric* find_quality_metric(std::string_view name);
/// "exact_match, token_f1, ...", for help and messages.
std::string quality_metric_names();
/// The metric of that name, or a usage error with the list.
Expected<const QualityMetric*> require_quality_metric(const std::string& name);

/// How far compression moved the model's predictions on one answer: the model is given the reference answer token by
/// token (teacher forcing), once over the uncompressed and once over the compressed cache.
struct LogitFigures {
  double kl_nats = 0;         // mean over tokens of KL(p_uncompressed || p_compressed) >= 0
  double top1_agreement = 1;  // share of tokens whose most probable token is the same
  int tokens = 0;
};
/// "logit_kl" is exp(-KL): 1 where nothing moved, and as the other metrics larger is better.
double logit_score(const QualityMetric& metric, const LogitFigures& figures);

/// 1 if equal after SQuAD normalisation, else 0 (Rajpurkar et al. 2016).
double exact_match(std::string_view answer, std::string_view gold);
/// Harmonic mean of token precision and recall after SQuAD normalisation; two empty answers score 1 (SQuAD 2.0).
double token_f1(std::string_view answer, std::string_view gold);
/// ROUGE-L, F-measure of the longest common subsequence of words (Lin 2004), as the package rouge-score gives it
/// without a stemmer; two texts without words that are equal score 1.
double rouge_l(std::string_view answer, std::string_view gold);
/// Lower case, without ASCII punctuation and the articles a, an, the; words separated by single spaces.
std::string squad_normalized(std::string_view text);

/// The best score over several accepted answers, as SQuAD does; 0 when there are none. Metrics of words only.
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
