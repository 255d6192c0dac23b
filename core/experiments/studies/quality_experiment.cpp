#include "core/experiments/studies/quality_experiment.h"

#include "core/experiments/claims.h"
#include "core/model/bert_encoder.h"

namespace kvantage::inline studies {
namespace {

/// Another reason for which there is no verdict stays.
void withhold_verdicts(FigureResult& result, std::string finding) {
  result.findings.insert(result.findings.begin(), std::move(finding));
  if (result.off_regime.empty()) result.off_regime = off_metric;
}

}  // namespace

MetricChoice choose_metric(const std::string& asked, bool has_embedder) {
  if (!asked.empty()) return {asked};
  return has_embedder ? MetricChoice{papers_metric} : MetricChoice{substitute_metric, true};
}

void tell_substitute(FigureResult& result) {
  result.settings["quality metric"] = std::string(substitute_metric) + ", as the embedder of cosine is missing";
  withhold_verdicts(result, substituted_text);
}

void tell_other_metric(FigureResult& result, const std::string& metric, const std::string& papers) {
  withhold_verdicts(result,
                    "quality is " + metric + ", as asked for, where claims of the paper are measured by " + papers);
}

void name_quality_axes(FigureResult& result, const std::string& metric) {
  for (FigureTable& table : result.tables) {
    if (!table.plot) continue;
    FigurePlot& plot = *table.plot;
    const bool only_quality = plot.y.size() == 1 && plot.y.front() == "quality" && plot.y_title.empty();
    if (only_quality || plot.y_title == "quality") plot.y_title = "quality (" + metric + ")";
  }
}

void settle_by_metric(FigureResult& result, const std::string& metric, const std::string& papers) {
  if (metric != papers) tell_other_metric(result, metric, papers);
}

FigureSetting metric_setting() {
  return {"--quality-metric",
          "Quality metric",
          {},
          "cosine, the paper's; token_f1 where its embedder is missing",
          "Quality metric of curves and answers; cosine: similarity in meaning to the answer with uncompressed KV, by "
          "all-MiniLM-L6-v2"};
}

Expected<std::vector<FigureResult>> QualityExperiment::run(const FigureArguments& arguments) const {
  const MetricChoice choice = choose_metric(arguments.metric, embedding_model_is_there().has_value());
  FigureArguments chosen = arguments;
  chosen.metric = choice.name;
  KV_ASSIGN(auto results, measure(chosen));
  for (FigureResult& result : results) {
    name_quality_axes(result, choice.name);
    if (choice.is_substitute)
      tell_substitute(result);
    else if (choice.name != papers_metric)
      tell_other_metric(result, choice.name, papers_metric);
  }
  return results;
}

}  // namespace kvantage::inline studies
