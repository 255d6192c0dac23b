// Scores answers by any metric: words and code directly, meaning through an Embedder that is loaded on first use,
// predictions from measured values. Also gives the chance score as a baseline for quality.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/text/embedder.h"
#include "core/text/quality.h"

namespace kvantage::inline text {

/// The available evidence on an answer; a metric uses what it needs.
struct AnswerEvidence {
  std::string answer;
  std::vector<std::string> golds;        // accepted answers; none: the reference answer replaces them
  std::optional<std::string> reference;  // greedy answer over the uncompressed cache
  std::optional<LogitMetrics> logits;    // of the reference answer on the cache used for the answer
  std::string family = {};               // of the context's texts, for a metric that differs by family
};

class QualityMeter {
 public:
  using MakeEmbedder = std::function<Expected<std::unique_ptr<Embedder>>()>;
  /// make_embedder: called once, when a metric first needs it; null: metrics of meaning fail with a message.
  explicit QualityMeter(MakeEmbedder make_embedder = {});
  ~QualityMeter();

  /// Nothing where the evidence lacks the metric's target. Identical texts score exactly 1, even without an embedder or
  /// a parser of code.
  Expected<std::optional<double>> score(const QualityMetric& metric, const AnswerEvidence& evidence);
  /// Score of an answer to another question: the mean of score() over `others` as answers, at most `max_others` of
  /// them, evenly spaced. Nothing without others, and nothing for prediction metrics.
  Expected<std::optional<double>> chance(const QualityMetric& metric, const AnswerEvidence& evidence,
                                         std::span<const std::string> others);
  static constexpr std::size_t max_others = 256;

  /// The embedder's digest, loading it if needed; empty for metrics that need none.
  Expected<Digest128> digest(const QualityMetric& metric);

 private:
  Expected<Embedder*> embedder();
  MakeEmbedder make_embedder_;
  std::unique_ptr<Embedder> embedder_;
};

}  // namespace kvantage::inline text
