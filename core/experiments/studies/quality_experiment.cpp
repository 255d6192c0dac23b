#include "core/experiments/studies/quality_experiment.h"

#include "core/experiments/claims.h"
#include "core/model/bert_encoder.h"

namespace kvantage::inline studies {

MetricChoice choose_metric(const std::string& asked, bool has_embedder) {
  if (!asked.empty()) return {asked};
  return has_embedder ? MetricChoice{papers_metric} : MetricChoice{substitute_metric, true};
}

void tell_substitute(FigureResult& result) {
  result.findings.insert(result.findings.begin(), substituted_text);
  result.settings["quality metric"] = std::string(substitute_metric) + ", as the embedder of cosine is missing";
  if (result.off_regime.empty()) result.off_regime = off_metric;
}

void name_quality_axes(FigureResult& result, const std::string& metric) {
  for (FigureTable& table : result.tables) {
    if (!table.plot) continue;
    FigurePlot& plot = *table.plot;
    const bool only_quality = plot.y.size() == 1 && plot.y.front() == "quality" && plot.y_title.empty();
    if (only_quality || plot.y_title == "quality") plot.y_title = "quality (" + metric + ")";
  }
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
    if (choice.is_substitute) tell_substitute(result);
  }
  return results;
}

}  // namespace kvantage::inline studies
