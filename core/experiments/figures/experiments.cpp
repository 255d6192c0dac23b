#include "core/experiments/figures/experiments.h"

#include <algorithm>

#include "core/experiments/claims.h"
#include "core/experiments/figures/adaptcache/figures.h"
#include "core/experiments/figures/compaction/figures.h"
#include "core/experiments/figures/evicpress/figures.h"
#include "core/experiments/figures/kvpr/figures.h"
#include "core/experiments/figures/pagedeviction/figures.h"
#include "core/experiments/paper_figures.h"

namespace kvantage::inline figures {

// Of papers, in the order of papers(); the figures of each are in the rows of its folder.
const std::vector<const Experiment*>& all_experiments() {
  static const std::vector<const Experiment*> list = [] {
    std::vector<const Experiment*> all;
    for (const auto of_paper : {evicpress_experiments, adaptcache_experiments, pagedeviction_experiments,
                                compaction_experiments, kvpr_experiments}) {
      const auto some = of_paper();
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }();
  return list;
}

const Experiment* find_experiment(std::string_view name) {
  const PaperFigure* figure = find_paper_figure(name);
  if (figure == nullptr) return nullptr;
  return *std::ranges::find(all_experiments(), figure->name, [](const Experiment* one) { return one->figure().name; });
}

const std::vector<PaperFigure>& paper_figures() {
  static const std::vector<PaperFigure> list = [] {
    std::vector<PaperFigure> all;
    all.reserve(all_experiments().size());
    for (const Experiment* one : all_experiments()) all.push_back(one->figure());
    return all;
  }();
  return list;
}

const PaperFigure* find_paper_figure(std::string_view name) {
  return experiments::find_paper_figure(paper_figures(), name);
}

std::string figure_standard(std::string_view figure, std::string_view option) {
  const PaperFigure* known = find_paper_figure(figure);
  if (known == nullptr) return {};
  const auto found = std::ranges::find(known->settings, option, &FigureSetting::option);
  return found == known->settings.end() ? std::string() : found->standard;
}

Status check_figure_options(const PaperFigure& figure, const std::vector<GivenOption>& given) {
  return experiments::check_figure_options(figure, given, paper_figures());
}

std::vector<std::string> reproduced_figures() {
  std::vector<std::string> names;
  for (const Experiment* experiment : all_experiments())
    if (!experiment->is_view()) names.push_back(experiment->figure().name);
  return names;
}

FigureResult begin_figure(const std::string& name, Provenance provenance) {
  const PaperFigure* known = find_paper_figure(name);
  FigureResult result = experiments::begin_figure(known == nullptr ? PaperFigure{} : *known, provenance);
  result.figure = name;
  return result;
}

Expected<std::vector<PaperClaim>> read_claims(const std::filesystem::path& file) {
  return experiments::read_claims(file, paper_figures());
}

}  // namespace kvantage::inline figures
