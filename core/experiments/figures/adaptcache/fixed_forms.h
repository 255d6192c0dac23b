// The study behind figures of AdaptCache: its policy against one method and rate for all contexts, under Poisson
// arrivals. The figures differ in workload, quality metric and model.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/experiments/studies/served_experiment.h"

namespace kvantage::inline adaptcache_figures {

/// Options of such a figure, with its own workload and metric as defaults. The model is adaptcache_model: the default
/// one does not answer code.
std::vector<FigureSetting> fixed_forms_settings(const std::string& workload, const std::string& metric);
/// Options that it reads besides.
std::vector<std::string> fixed_forms_more();
/// Options that make it in seconds.
std::vector<std::pair<std::string, std::string>> quick_fixed_forms();
/// The default policies: full prefill, LRU, `fixed`, AdaptCache by both readings of its utility, and evicpress.
std::vector<std::string> fixed_forms_policies(const std::vector<std::string>& fixed);

class FixedForms final : public ServedExperiment {
 public:
  /// `metric`: the paper's; with another one no claim gets a verdict.
  FixedForms(PaperFigure figure, std::string metric)
      : ServedExperiment(std::move(figure)), papers_metric_(std::move(metric)) {}
  bool leaves_out_idle() const override { return true; }
  Expected<std::vector<FigureResult>> run(const FigureArguments& arguments) const override;

 private:
  const std::string papers_metric_;
};

}  // namespace kvantage::inline adaptcache_figures
