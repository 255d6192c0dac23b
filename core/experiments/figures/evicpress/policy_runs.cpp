#include "core/experiments/figures/evicpress/policy_runs.h"

#include <optional>

#include "core/base/duration.h"
#include "core/base/form_text.h"
#include "core/engine/settings_check.h"
#include "core/experiments/evicpress_rules.h"
#include "core/experiments/figures/evicpress/settings.h"

namespace kvantage::inline evicpress_figures {

namespace {

constexpr const char* shares_outside_regimes = "0.1,0.2,0.33";

/// Cells under one budget. `pool`: the methods to choose from in a regime.
StudyCell cell_like(const std::optional<ServedRegime>& served, const std::vector<std::string>& pool, double share) {
  StudyCell cell{.policy = {}, .budget_fraction = share};
  if (!served) return cell;
  cell.regime = served->regime;
  cell.methods = pool;
  return cell;
}

/// EvicPress's section 8 names codecs as an extension; loading only what loads faster than it is computed is ours.
Status add_extensions(const Engine& engine, const std::vector<double>& alphas, const StudyCell& like,
                      std::vector<StudyCell>& cells) {
  const auto all = engine.settings().methods;
  if (like.methods.empty() || all.size() == like.methods.size()) return {};
  StudyCell codecs = like;
  codecs.methods = all;
  codecs.extension = codecs_extension;
  KV_TRY(add_cells("evicpress(drop=best)", alphas, codecs, cells));
  codecs.extension = compute_or_load_extension;
  codecs.change = [](SessionSettings& settings) { settings.compute_or_load = "auto"; };
  return add_cells("evicpress(drop=best)", alphas, codecs, cells);
}

/// The policy that figure 11 shows: the first of the paper's rules, else any of evicpress.
std::string shown_policy(const std::vector<StudyCell>& cells) {
  std::string shown;
  for (const StudyCell& cell : cells) {
    const auto rule = evicpress_rule(cell.policy);
    if (rule && rule->is_papers) return cell.policy;
    if (rule && shown.empty()) shown = cell.policy;
  }
  return shown;
}

}  // namespace

std::vector<FigureSetting> policy_run_settings() {
  return {workload_setting("evicpress-regime"),
          budgets_setting({}, std::string("those of the regime; ") + shares_outside_regimes + " outside of one"),
          alphas_setting({}, "those of the regime; five scaled to the profiles outside of one"),
          policies_setting({},
                           "prefill, lru, lfu, s3fifo, gdsf, every fixed configuration + LRU, impress at three shares, "
                           "adaptcache, evicpress by the paper's two rules, that of its authors' code, and ours"),
          methods_setting("keydiff,knorm,snapkv,kivi4,keydiff+kivi4"),
          removed_setting({}),
          metric_setting(),
          seeds_setting("1"),
          requests_setting()};
}

Expected<PolicyRuns> run_policies(const FigureArguments& arguments) {
  PolicyRuns runs;
  std::vector<double> shares;
  std::optional<std::size_t> chosen;  // one of the cells that are looked at
  const auto cells = [&](const Engine& engine) -> Expected<std::vector<StudyCell>> {
    KV_ASSIGN(const auto served, served_regime(arguments, engine));
    KV_ASSIGN(shares, study_shares(arguments, served, true, shares_outside_regimes));
    KV_ASSIGN(const auto alphas, study_alphas(arguments, engine, served));
    const std::vector<std::string> pool = served ? served->methods : engine.settings().methods;
    std::vector<std::string> texts = split_policies(arguments.policies);
    const bool all = texts.empty();
    if (all) {
      KV_ASSIGN(auto fixed, fixed_forms(pool, engine.settings().removed_fractions));
      texts = compared_policies(std::move(fixed));
    }
    std::vector<StudyCell> made;
    for (const double share : shares) {
      const StudyCell like = cell_like(served, pool, share);
      for (const std::string& text : texts) KV_TRY(add_cells(text, alphas, like, made));
      if (all) KV_TRY(add_extensions(engine, alphas, like, made));
    }
    runs.chosen_alpha = alphas[alphas.size() / 2];
    runs.chosen_policy = shown_policy(made);
    for (std::size_t c = 0; c < made.size(); ++c) {
      StudyCell& cell = made[c];
      if (cell.policy != runs.chosen_policy || cell.alpha != runs.chosen_alpha || !cell.extension.empty()) continue;
      chosen = c;
      cell.look = [&runs, share = cell.budget_fraction](const Snapshot& snapshot) {
        const auto forms = chosen_forms(snapshot, share);
        runs.chosen.insert(runs.chosen.end(), forms.begin(), forms.end());
      };
    }
    return made;
  };
  KV_ASSIGN(runs.study, run_cells(arguments, split_list(arguments.methods), cells));
  if (chosen) runs.chosen_alpha = runs.study.outcomes[*chosen].alpha;  // of an interrupted command, where there was one
  std::string text;
  for (const double share : shares) text += (text.empty() ? "" : ",") + shortest_number(share);
  runs.study.settings["budgets"] = text;
  return runs;
}

namespace {

PaperFigure with_run_options(PaperFigure figure) {
  figure.does = about_policy_runs;
  figure.settings = policy_run_settings();
  figure.records_runs = true;
  figure.more = options_of_serving();
  return figure;
}

}  // namespace

RunsView::RunsView(PaperFigure figure, View view)
    : QualityExperiment(with_run_options(std::move(figure))), view_(view) {}

Expected<std::vector<FigureResult>> RunsView::measure(const FigureArguments& arguments) const {
  KV_ASSIGN(const auto runs, run_policies(arguments));
  return std::vector<FigureResult>{of(runs)};
}

FigureResult RunsView::of(const PolicyRuns& runs) const {
  FigureResult result = view_(figure(), runs);
  add_study_in_regime(result, runs.study);
  return result;
}

}  // namespace kvantage::inline evicpress_figures
