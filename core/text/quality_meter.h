// Scores answers by any metric: words at once, meaning through an Embedder that is loaded when it is first needed,
// predictions from figures that were measured. Also what chance would score, so that a quality can be told from luck.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/text/embedder.h"
#include "core/text/quality.h"

namespace kvantage {

/// What is known of an answer; a metric takes what it needs.
struct AnswerEvidence {
  std::string answer;
  std::vector<std::string> golds;        // accepted answers; none: the reference answer stands in for them
  std::optional<std::string> reference;  // greedy answer over the uncompressed cache
  std::optional<LogitFigures> logits;    // of the reference answer under the cache that answered
};

class QualityMeter {
 public:
  using MakeEmbedder = std::function<Expected<std::unique_ptr<Embedder>>()>;
  /// make_embedder: called once, when a metric first needs it; null: metrics of meaning fail with its absence in words.
  explicit QualityMeter(MakeEmbedder make_embedder = {});
  ~QualityMeter();

  /// Nothing where the evidence lacks what the metric compares with. Identical texts score exactly 1, embedder or not.
  Expected<std::optional<double>> score(const QualityMetric& metric, const AnswerEvidence& evidence);
  /// What an answer to another question would score here: the mean of score() over `others` as answers. At most
  /// `most_others` of them, evenly spread, enter. Nothing without others, and nothing for metrics of predictions.
  Expected<std::optional<double>> chance(const QualityMetric& metric, const AnswerEvidence& evidence,
                                         std::span<const std::string> others);
  static constexpr std::size_t most_others = 256;

  /// The embedder's digest, made on the way; of nothing for metrics that need none.
  Expected<Digest128> digest(const QualityMetric& metric);

 private:
  Expected<Embedder*> embedder();
  MakeEmbedder make_embedder_;
  std::unique_ptr<Embedder> embedder_;
};

}  // namespace kvantage
