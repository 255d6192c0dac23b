#include "core/experiments/figures/adaptcache/fixed_forms.h"

#include "core/base/form_text.h"
#include "core/engine/settings_check.h"
#include "core/experiments/figures/adaptcache/task_tables.h"
#include "core/experiments/load_figures.h"
#include "core/experiments/studies/quality_experiment.h"
#include "core/experiments/studies/study_cells.h"
#include "core/text/quality.h"

namespace kvantage::inline adaptcache_figures {
namespace {

Expected<double> rate_of(const FigureArguments& arguments, const std::optional<ServedRegime>& served) {
  if (arguments.rates.empty()) return served ? served->session.requests_per_second : 4.0;
  KV_ASSIGN(const auto rates, study_numbers(arguments.rates, "--rate"));
  return rates.front();
}

}  // namespace

std::vector<FigureSetting> fixed_forms_settings(const std::string& workload, const std::string& metric) {
  return {{"--workload", "Workload", workload, {}, "Folder of a workload, or the name of one"},
          {"--rate",
           "Rate (1/s)",
           {},
           "that of the regime; 4 outside of one",
           "Requests per second, Poisson arrivals",
           true},
          {"--budgets",
           "Budgets",
           {},
           "those of the regime; 0.2 outside of one",
           "Total tier budget, as a share of the contexts' uncompressed bytes; in a paper's regime the budget of the "
           "fastest tier"},
          {"--alpha",
           "Alphas (s)",
           {},
           "those of the regime; five scaled to the profiles outside of one",
           "Seconds of TTFT that a unit of quality is worth, comma-separated"},
          {"--policy",
           "Policies",
           {},
           "prefill, lru, each configuration below + LRU, adaptcache(pool=paper) by both readings of its utility, "
           "evicpress",
           "Policies as text forms, comma-separated"},
          {"--methods",
           "Methods",
           "kivi8,kivi4,kivi2,streaming_llm",
           {},
           "Compression methods as text forms, comma-separated"},
          {"--removed",
           "Removed fractions",
           "0.2714,0.5143,0.6286",
           {},
           "Fractions of a context's tokens that StreamingLLM removes: the paper's rates"},
          {"--quality-metric",
           "Quality metric",
           metric,
           {},
           "What an answer is scored by; by_task: F1, ROUGE-L or CodeBLEU by family, as in the paper; NAME@prefill "
           "compares with the answer after a full prefill"},
          {"--max-batch", "Max concurrency", "8", {}, "Maximum concurrent requests"},
          {"--seeds", "Seeds", "1", {}, "Request sequences; every policy serves each of them"},
          {"--limit",
           "Requests per run",
           {},
           "as many as the workload has",
           "Measured requests per run, after one warm-up request per context"},
          {"--model", "Model", adaptcache_model, {}, "Hugging Face model folder, or reference-mha"}};
}

std::vector<std::string> fixed_forms_more() { return {"--profile-questions", "--seed"}; }

std::vector<std::pair<std::string, std::string>> quick_fixed_forms() {
  return {{"--seeds", "1"},
          {"--limit", "4"},
          {"--rate", "20"},
          {"--policy", "lru,fixed(kivi4,0),adaptcache(pool=paper)"},
          {"--methods", "kivi4,streaming_llm"},
          {"--removed", "0.5"},
          {"--alpha", "0.3"}};
}

std::vector<std::string> fixed_forms_policies(const std::vector<std::string>& fixed) {
  std::vector<std::string> texts{"full_prefill", "lru"};
  texts.insert(texts.end(), fixed.begin(), fixed.end());
  texts.emplace_back("adaptcache(pool=paper)");  // the rule that claims are about
  texts.emplace_back("adaptcache(utility=printed,pool=paper)");
  texts.emplace_back("evicpress");  // ours, which no claim is about
  return texts;
}

Expected<std::vector<FigureResult>> FixedForms::run(const FigureArguments& arguments) const {
  const auto cells_of = [&](const Engine& engine) -> Expected<std::vector<StudyCell>> {
    KV_ASSIGN(const auto served, served_regime(arguments, engine));
    KV_ASSIGN(const auto shares, study_shares(arguments, served, true, "0.2"));
    KV_ASSIGN(const auto alphas, study_alphas(arguments, engine, served));
    KV_ASSIGN(const double rate, rate_of(arguments, served));
    KV_ASSIGN(const auto fixed, fixed_forms(engine.settings().methods, engine.settings().removed_fractions));
    const auto asked = split_policies(arguments.policies);
    std::vector<StudyCell> cells;
    for (const double share : shares) {
      StudyCell like{.policy = {}, .budget_fraction = share, .requests_per_second = rate};
      if (served) like.regime = served->regime;
      for (const std::string& text : asked.empty() ? fixed_forms_policies(fixed) : asked)
        KV_TRY(add_cells(text, alphas, like, cells));
    }
    return cells;
  };
  return run_study_figure(arguments, cells_of, [&](const StudyOutcomes& study) {
    const bool tiered = study.tiers.size() > 1;
    FigureResult result = figure_adaptcache(figure(), study.outcomes, study.tiers.empty() ? "" : study.tiers.front(),
                                            tiered ? study.tiers.back() : "");
    const auto metric = study.settings.value("quality metric", std::string());
    name_quality_axes(result, metric);
    if (metric == by_task_metric) add_tasks(result, study.outcomes);
    study.regime.tell(result);
    settle_by_metric(result, metric, papers_metric_);
    return result;
  });
}

}  // namespace kvantage::inline adaptcache_figures
