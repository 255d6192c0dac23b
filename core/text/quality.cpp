#include "core/text/quality.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/did_you_mean.h"
#include "core/base/random.h"

namespace kvantage::inline text {
namespace {

std::vector<QualityMetric> with_prefill_targets(std::vector<QualityMetric> metrics) {
  const std::size_t written = metrics.size();
  metrics.reserve(2 * written);
  for (std::size_t i = 0; i < written; ++i) {
    if (metrics[i].basis != QualityBasis::words) continue;
    QualityMetric metric = metrics[i];
    metric.meaning = metric.name + " against the answer with uncompressed KV instead of a reference answer";
    metric.name += at_prefill_suffix;
    metric.at_prefill = true;
    metrics.push_back(std::move(metric));
  }
  return metrics;
}

}  // namespace

std::span<const QualityMetric> quality_metrics() {
  static const std::vector<QualityMetric> metrics = with_prefill_targets({
      {"exact_match", "1 if the answer equals a reference answer except for case, punctuation and articles, else 0",
       QualityBasis::words, exact_match},
      {"token_f1",
       "overlap of the answer's words with those of a reference answer: harmonic mean of precision and recall",
       QualityBasis::words, token_f1},
      {"rouge_l", "longest common subsequence of the words of the answer and of a reference answer, F-measure",
       QualityBasis::words, rouge_l},
      {"choice", "1 if the answer names the letter of the correct option, or exactly all of them, else 0",
       QualityBasis::words, choice_match},
      {"contains", "1 if the answer contains a reference answer, except for case, punctuation and articles, else 0",
       QualityBasis::words, contains_answer},
      {"word_recall", "share of the words of a reference answer that the answer contains", QualityBasis::words,
       word_recall},
      {"cosine", "similarity in meaning to the answer with uncompressed KV: cosine of all-MiniLM-L6-v2 embeddings",
       QualityBasis::embeddings},
      {"code_bleu",
       "similarity of Python code to the answer with uncompressed KV: CodeBLEU of n-grams, syntax tree and data flow",
       QualityBasis::code},
      {"logit_kl",
       "exp(-KL) of the model's predictions with compressed KV from those with uncompressed KV, on the "
       "answer with uncompressed KV",
       QualityBasis::logits},
      {"top1_agreement", "share of the tokens of the answer with uncompressed KV that stay the most probable choice",
       QualityBasis::logits},
      {std::string(by_task_metric),
       "against the answer with uncompressed KV: code_bleu for code, rouge_l for summaries and other long answers, "
       "token_f1 for the rest",
       QualityBasis::tasks},
  });
  return metrics;
}

namespace {

constexpr std::string_view code_metric = "code_bleu", summary_metric = "rouge_l@prefill",
                           question_metric = "token_f1@prefill";

// Of the workloads that are made here, and of LongBench, under its own names.
constexpr auto code_families =
    std::to_array<std::string_view>({"code", "lcc", "lcc_e", "repobench-p", "repobench-p_e"});
constexpr auto long_families = std::to_array<std::string_view>(
    {"ledger", "gov_report", "gov_report_e", "qmsum", "multi_news", "multi_news_e", "samsum", "samsum_e", "vcsum"});

bool holds(std::span<const std::string_view> families, std::string_view family) {
  return std::ranges::find(families, family) != families.end();
}

std::string_view task_metric_of(std::string_view family) {
  if (holds(code_families, family)) return code_metric;
  return holds(long_families, family) ? summary_metric : question_metric;
}

}  // namespace

const QualityMetric& metric_for_family(const QualityMetric& metric, std::string_view family) {
  return metric.basis == QualityBasis::tasks ? *find_quality_metric(task_metric_of(family)) : metric;
}

bool is_scored_by_task(const QualityMetric& metric, std::string_view family) {
  return metric.name == question_metric || metric.name == summary_metric ||
         (metric.name == code_metric && holds(code_families, family));
}

const QualityMetric* find_quality_metric(std::string_view name) {
  for (const QualityMetric& metric : quality_metrics())
    if (metric.name == name) return &metric;
  return nullptr;
}

std::string quality_metric_names() {
  std::string names;
  for (const QualityMetric& metric : quality_metrics()) names += (names.empty() ? "" : ", ") + metric.name;
  return names;
}

Expected<const QualityMetric*> require_quality_metric(const std::string& name) {
  if (const QualityMetric* metric = find_quality_metric(name)) return metric;
  return fail(ErrorCode::usage, "quality_metric: unknown metric '" + name + "'; " +
                                    did_you_mean(name, quality_metrics(), {}, &QualityMetric::name));
}

double logit_score(const QualityMetric& metric, const LogitMetrics& metrics) {
  return metric.name == "logit_kl" ? std::exp(-metrics.kl_nats) : metrics.top1_agreement;
}

double best_score(const QualityMetric& metric, std::string_view answer, std::span<const std::string> golds) {
  double best = 0;
  for (const std::string& gold : golds) best = std::max(best, metric.score(answer, gold));
  return best;
}

MeanWithInterval mean_with_interval(std::span<const double> scores, std::uint64_t seed, int resamples) {
  MeanWithInterval result;
  result.n = scores.size();
  if (scores.empty()) return result;
  const auto count = static_cast<double>(scores.size());
  double sum = 0;
  for (const double score : scores) sum += score;
  result.mean = sum / count;
  Random random(seed);
  std::vector<double> means;
  for (int i = 0; i < std::max(resamples, 1); ++i) {
    double resampled = 0;
    for (std::size_t j = 0; j < scores.size(); ++j) resampled += scores[random.below(scores.size())];
    means.push_back(resampled / count);
  }
  std::sort(means.begin(), means.end());
  const auto quantile = [&](double fraction) {  // linear interpolation, numpy's default
    const double place = fraction * static_cast<double>(means.size() - 1);
    const auto lower = static_cast<std::size_t>(std::floor(place));
    const std::size_t upper = std::min(lower + 1, means.size() - 1);
    return means[lower] + (place - std::floor(place)) * (means[upper] - means[lower]);
  };
  result.low = quantile(0.025);
  result.high = quantile(0.975);
  return result;
}

}  // namespace kvantage::inline text
