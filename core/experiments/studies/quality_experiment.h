// A figure of EvicPress: quality by the paper's own metric, MiniLM's cosine with the answer of uncompressed KV, or by
// words where the embedder of that is missing. Also by which metrics AdaptCache's claims are settled.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/experiments/studies/served_experiment.h"

namespace kvantage::inline studies {

inline constexpr const char* papers_metric = "cosine";
inline constexpr const char* substitute_metric = "token_f1";
/// The first finding where the substitute is taken.
inline constexpr const char* substituted_text =
    "quality is token_f1: cosine, the paper's metric, needs all-MiniLM-L6-v2, which is missing and which ./run fetches";

struct MetricChoice {
  std::string name;            // of quality_metrics()
  bool is_substitute = false;  // nobody asked for it
};
/// `asked`: by name; empty: the paper's, if its embedder is there.
MetricChoice choose_metric(const std::string& asked, bool has_embedder);

/// Says of a result that the substitute was taken, and withholds its verdicts: every claim of EvicPress that is
/// measured depends on quality.
void tell_substitute(FigureResult& result);
/// The same where a metric other than the paper's was asked for by name.
void tell_other_metric(FigureResult& result, const std::string& metric, const std::string& papers);
/// Names the metric on axes of quality: "quality (cosine)".
void name_quality_axes(FigureResult& result, const std::string& metric);

/// AdaptCache's metrics, all against the answer with uncompressed KV: for its three tasks F1, ROUGE-L and CodeBLEU,
/// each on its own families of this workload, with the model that answers code. Its coding task alone has another
/// workload.
inline constexpr const char* adaptcache_metric = "by_task";
inline constexpr const char* adaptcache_workload = "adaptcache-regime-tasks";
inline constexpr const char* adaptcache_model = "reference-mha";
inline constexpr const char* coding_metric = "code_bleu";
inline constexpr const char* coding_workload = "adaptcache-regime-code";
/// Withholds verdicts of a figure of AdaptCache where `metric` is not `papers`, the figure's own; a finding says so. To
/// call when the result knows its regime.
void settle_by_metric(FigureResult& result, const std::string& metric, const std::string& papers);

/// Option of the figures that are QualityExperiments.
FigureSetting metric_setting();

class QualityExperiment : public ServedExperiment {
 public:
  Expected<std::vector<FigureResult>> run(const FigureArguments& arguments) const final;

 protected:
  explicit QualityExperiment(PaperFigure figure) : ServedExperiment(std::move(figure)) {}
  /// As run(), with the metric chosen.
  virtual Expected<std::vector<FigureResult>> measure(const FigureArguments& arguments) const = 0;
};

}  // namespace kvantage::inline studies
