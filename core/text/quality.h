// Scores an answer against the expected one. A metric compares either words (two texts, computed here, one file
// quality_<name>.cpp each), meaning (vectors of an Embedder), code (two texts as Python, core/text/code) or the model's
// predictions (LogitMetrics, measured by the engine), or it is another one of these for each family of texts. All are
// rows of one table in quality.cpp and range from 0 (bad) to 1 (equal). The comparison target is part of a metric. Word
// metrics use the gold answers, the best of several; without gold they use the reference answer, the model's own greedy
// answer over the uncompressed cache. The others always use the reference answer, as do word metrics whose name ends
// with "@prefill". Means come with n and a bootstrap interval: no quality is shown without its interval.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace kvantage::inline text {

enum class QualityBasis : std::uint8_t { words, embeddings, code, logits, tasks };

struct QualityMetric {
  std::string name;     // as in files and on the command line, e.g. "token_f1"
  std::string meaning;  // one line for tooltips and reports
  QualityBasis basis = QualityBasis::words;
  std::function<double(std::string_view answer, std::string_view expected)> score = {};  // word metrics only: of two
                                                                                         // texts
  bool at_prefill = false;  // a word metric that ignores gold answers

  /// Whether answers are scored against the reference answer, whatever gold answers there are.
  bool compares_with_reference() const { return at_prefill || basis != QualityBasis::words; }
};
/// The end of a name: "token_f1@prefill" is token_f1 against the answer after a full prefill, as AdaptCache scores.
inline constexpr std::string_view at_prefill_suffix = "@prefill";

/// AdaptCache's metrics, each for its own task, and all against the answer after a full prefill. One run scores them
/// all.
inline constexpr std::string_view by_task_metric = "by_task";
/// The metric that `metric` is for texts of this family: of by_task_metric code_bleu for code, rouge_l@prefill for
/// summaries and other long answers, token_f1@prefill for all others; every other metric is itself.
const QualityMetric& metric_for_family(const QualityMetric& metric, std::string_view family);
/// Whether `metric` scores answers of this family beside by_task_metric: both metrics of words do on every family, so
/// that families can be compared, and code_bleu on code.
bool is_scored_by_task(const QualityMetric& metric, std::string_view family);

/// All metrics, in display order; behind them every word metric with at_prefill_suffix.
std::span<const QualityMetric> quality_metrics();
/// The metric of that name or nullptr.
const QualityMetric* find_quality_metric(std::string_view name);
/// "exact_match, token_f1, ...", for help and messages.
std::string quality_metric_names();
/// The metric of that name, or a usage error with the list.
Expected<const QualityMetric*> require_quality_metric(const std::string& name);

/// Effect of compression on the model's predictions for one answer: the reference answer is fed token by token (teacher
/// forcing), once over the uncompressed and once over the compressed cache.
struct LogitMetrics {
  double kl_nats = 0;         // mean over tokens of KL(p_uncompressed || p_compressed) >= 0
  double top1_agreement = 1;  // share of tokens whose most probable token is the same
  int tokens = 0;
};
/// "logit_kl" is exp(-KL): 1 means no effect; like the other metrics, larger is better.
double logit_score(const QualityMetric& metric, const LogitMetrics& metrics);

/// 1 if equal after SQuAD normalization, else 0 (Rajpurkar et al. 2016).
double exact_match(std::string_view answer, std::string_view gold);
/// Harmonic mean of token precision and recall after SQuAD normalization; two empty answers score 1 (SQuAD 2.0).
double token_f1(std::string_view answer, std::string_view gold);
/// ROUGE-L, F-measure of the longest common subsequence of words (Lin 2004), as in the package rouge-score without a
/// stemmer; two equal texts without words score 1.
double rouge_l(std::string_view answer, std::string_view gold);
/// 1 if the letters that an answer names are those of `gold` ("B", "AC"), else 0. Looked for, in this order: after
/// "answer is", at the beginning, as the first letter that stands alone. A gold that is not letters: exact_match.
double choice_match(std::string_view answer, std::string_view gold);
/// 1 if the words of `gold` are in the answer one after the other, after SQuAD normalization, else 0 (best_subspan_em
/// of Lost in the Middle, string_match_part of RULER on whole words).
double contains_answer(std::string_view answer, std::string_view gold);
/// Share of the words of `gold` that are in the answer, after SQuAD normalization (string_match_all of RULER, whose
/// references are words); two texts without words score 1.
double word_recall(std::string_view answer, std::string_view gold);
/// The words of a text in lower case, without ASCII punctuation and the articles a, an, the.
std::vector<std::string> squad_words(std::string_view text);
/// The same words, separated by single spaces.
std::string squad_normalized(std::string_view text);

/// The best score over several accepted answers, as in SQuAD; 0 when there are none. Word metrics only.
double best_score(const QualityMetric& metric, std::string_view answer, std::span<const std::string> golds);

struct MeanWithInterval {
  double mean = 0;
  double low = 0;  // 95 % percentile bootstrap interval of the mean
  double high = 0;
  std::size_t n = 0;
};
/// Mean of the scores and its 95 % interval (Efron's percentile bootstrap); all zero for n = 0, zero width for n = 1.
MeanWithInterval mean_with_interval(std::span<const double> scores, std::uint64_t seed = 0, int resamples = 1000);

}  // namespace kvantage::inline text
