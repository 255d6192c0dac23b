#include "core/text/quality_meter.h"

#include <algorithm>
#include <numeric>

#include "core/text/code/code_bleu.h"

namespace kvantage::inline text {
namespace {

/// A negative cosine counts as 0: the texts are unrelated.
double similarity(const std::vector<float>& a, const std::vector<float>& b) {
  return std::clamp(std::inner_product(a.begin(), a.end(), b.begin(), 0.0), 0.0, 1.0);
}

/// Equal texts are 1: CodeBLEU gives less to those of fewer than four words.
Expected<double> code_similarity(const std::string& answer, const std::string& reference) {
  if (answer == reference) return 1.0;
  KV_ASSIGN(const auto match, code_bleu(answer, reference));
  return match.score();
}

/// Comparison target of a word metric: gold answers if it uses them, else the reference answer, else nothing.
std::vector<std::string> expected_texts(const QualityMetric& metric, const AnswerEvidence& evidence) {
  if (!metric.at_prefill && !evidence.golds.empty()) return evidence.golds;
  if (evidence.reference) return {*evidence.reference};
  return {};
}

}  // namespace

QualityMeter::QualityMeter(MakeEmbedder make_embedder) : make_embedder_(std::move(make_embedder)) {}
QualityMeter::~QualityMeter() = default;

Expected<Embedder*> QualityMeter::embedder() {
  if (embedder_ == nullptr) {
    if (!make_embedder_)
      return fail(ErrorCode::rejected_input,
                  "quality metric 'cosine': no sentence embedder is given; choose another metric");
    KV_ASSIGN(auto made, make_embedder_());
    embedder_ = std::move(made);
  }
  return embedder_.get();
}

Expected<Digest128> QualityMeter::digest(const QualityMetric& metric) {
  if (metric.basis != QualityBasis::embeddings) return Digest128{};
  KV_ASSIGN(const auto made, embedder());
  return made->digest();
}

Expected<std::optional<double>> QualityMeter::score(const QualityMetric& metric, const AnswerEvidence& evidence) {
  if (metric.basis == QualityBasis::tasks) return score(metric_for_family(metric, evidence.family), evidence);
  if (metric.basis == QualityBasis::logits)
    return evidence.logits ? std::optional(logit_score(metric, *evidence.logits)) : std::nullopt;
  if (metric.basis == QualityBasis::words) {
    const std::vector<std::string> expected = expected_texts(metric, evidence);
    return expected.empty() ? std::nullopt : std::optional(best_score(metric, evidence.answer, expected));
  }
  if (!evidence.reference) return std::nullopt;
  if (evidence.answer == *evidence.reference) return 1.0;
  if (metric.basis == QualityBasis::code) {
    KV_ASSIGN(const double score, code_similarity(evidence.answer, *evidence.reference));
    return score;
  }
  KV_ASSIGN(const auto embed, embedder());
  const std::vector<std::string> texts{evidence.answer, *evidence.reference};
  KV_ASSIGN(const auto vectors, embed->embed(texts));
  return similarity(vectors[0], vectors[1]);
}

Expected<std::optional<double>> QualityMeter::chance(const QualityMetric& metric, const AnswerEvidence& evidence,
                                                     std::span<const std::string> others) {
  if (metric.basis == QualityBasis::tasks) return chance(metric_for_family(metric, evidence.family), evidence, others);
  if (others.empty() || metric.basis == QualityBasis::logits) return std::nullopt;
  const std::size_t count = std::min(others.size(), max_others);
  std::vector<std::string> answers;
  answers.reserve(count + 1);
  for (std::size_t i = 0; i < count; ++i) answers.push_back(others[i * others.size() / count]);
  double sum = 0;
  if (metric.basis == QualityBasis::words) {
    const std::vector<std::string> expected = expected_texts(metric, evidence);
    if (expected.empty()) return std::nullopt;
    for (const std::string& answer : answers) sum += best_score(metric, answer, expected);
    return sum / static_cast<double>(count);
  }
  if (!evidence.reference) return std::nullopt;
  if (metric.basis == QualityBasis::code) {
    for (const std::string& answer : answers) {
      KV_ASSIGN(const double score, code_similarity(answer, *evidence.reference));
      sum += score;
    }
    return sum / static_cast<double>(count);
  }
  KV_ASSIGN(const auto embed, embedder());
  answers.push_back(*evidence.reference);
  KV_ASSIGN(const auto vectors, embed->embed(answers));
  for (std::size_t i = 0; i < count; ++i)
    sum += answers[i] == answers.back() ? 1.0 : similarity(vectors[i], vectors.back());
  return sum / static_cast<double>(count);
}

}  // namespace kvantage::inline text
