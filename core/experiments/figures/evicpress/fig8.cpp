// EvicPress, figure 8: TTFT and inter-token latency against request rate.
#include <utility>

#include "core/base/form_text.h"
#include "core/experiments/figures/evicpress/figures.h"
#include "core/experiments/figures/evicpress/settings.h"
#include "core/experiments/load_figures.h"
#include "core/experiments/studies/quality_experiment.h"
#include "core/experiments/studies/study_cells.h"

namespace kvantage::inline evicpress_figures {
namespace {

// Of the fastest tier: section 6.1's 80 GB hold 8.3 % of the KV of two of the figure's three models, Llama-3.1-8B and
// Mistral-7B, and 5.6 % of the third, Qwen2.5-14B (core/workload/regimes/regimes.cpp).
constexpr const char* papers_share = "0.08";

// Within the mean prefill of a context. A ratio of two highest rates is known to a step on either side: it is between
// step^(k-1) and step^(k+1). With k = 3 that is within the paper's spans, 2.0 - 3.6 and 1.9 - 3.4, as widened by
// paper_tolerance; with steps of 2 no k is. A ratio has ends only where neither sustains its highest rate.
constexpr double lowest_rate = 0.5, rate_step = 1.39;
constexpr std::size_t rate_count = 10;  // up to 9.7
// Others load more: from 0.19 to 7, in the same steps.
constexpr double lowest_rate_of_others = lowest_rate / (rate_step * rate_step * rate_step);
constexpr std::size_t rate_count_of_others = 12;

class RequestRates final : public QualityExperiment {
 public:
  RequestRates()
      : QualityExperiment(PaperFigure{
            .name = "evicpress/fig8",
            .paper = "evicpress",
            .title = "TTFT and inter-token latency against request rate",
            .does =
                "Every policy under Poisson arrivals at each rate. Compares the highest rate that each sustains at the "
                "minimum quality while the mean TTFT, or the mean inter-token latency, stays within its bound. Also "
                "breaks down the engine's time. Extensions (codecs, drop=best) are compared in evicpress/fig7 alone.",
            .expected = "evicpress sustains a higher rate than any other policy before requests queue.",
            .published =
                "at a quality of 0.8 2.0 - 3.6 times the rate of the best baseline at equal TTFT, 1.9 - 3.4 times "
                "at equal inter-token latency",
            .settings = {workload_setting("evicpress-regime"),
                         rates_setting({},
                                       "from a half to 9.7 within the mean prefill of a context, in steps of 1.39, of "
                                       "others than evicpress from 0.19 to 7; 4,8,16,24 outside of the regime"),
                         {"--ttft-bound",
                          "TTFT bound (s)",
                          {},
                          "twice the mean prefill of a context: the paper prints no level; at this one full "
                          "prefill queues for as long as it is served, and LRU, which takes at most 1.21 "
                          "prefills by section 6.2, can queue as well",
                          "Bound on the mean TTFT including queueing, in seconds"},
                         {"--itl-bound",
                          "Inter-token bound (s)",
                          {},
                          "twice that of requests served one at a time, doubled until another policy than evicpress "
                          "meets it at the minimum quality",
                          "Bound on the mean inter-token latency, in seconds"},
                         {"--min-quality", "Minimum quality", "0.8", {}, "Minimum mean quality, 0 to 1"},
                         one_value(budgets_setting({},
                                                   "0.08 in the regime, as 80 GB hold 8.3 % of the KV for Llama-3.1-8B "
                                                   "and Mistral-7B, two of the figure's three models (5.6 % for "
                                                   "Qwen2.5-14B); 0.2 outside of one"),
                                   "Budget"),
                         alphas_setting({}, "those of the regime; five scaled to the profiles outside of one"),
                         policies_setting("full_prefill,lru,fixed(keydiff,0.4),fixed(keydiff,0.8),fixed(knorm,0.4),"
                                          "fixed(snapkv,0.4),impress(kept=0.5),evicpress(quality=raw)"),
                         methods_setting("keydiff,knorm,snapkv"),
                         removed_setting("0.2,0.4,0.6,0.8,0.9"),
                         metric_setting(),
                         batch_setting("8"),
                         seeds_setting("1"),
                         requests_setting("108")},
            .records_runs = true,
            .more = {"--profile-questions", "--seed"},
            .quick = {{"--seeds", "1"},
                      {"--limit", "4"},
                      {"--methods", "keydiff,kivi4"},
                      {"--removed", "0.6"},
                      {"--rate", "20"},
                      {"--policy", "lru,evicpress(quality=raw)"},
                      {"--alpha", "0.3"},
                      {"--quality-metric", "token_f1"}},
            .brief = {{"--limit", "72"}}}) {}

  bool leaves_out_idle() const override { return true; }

 protected:
  Expected<std::vector<FigureResult>> measure(const FigureArguments& arguments) const override {
    RateBounds bounds = arguments.bounds;
    double share = 0;
    const auto cells_of = [&](const Engine& engine) -> Expected<std::vector<StudyCell>> {
      KV_ASSIGN(const auto served, served_regime(arguments, engine));
      KV_ASSIGN(share, share_of(arguments, served.has_value()));
      KV_ASSIGN(const auto alphas, study_alphas(arguments, engine, served));
      KV_ASSIGN(const auto rates, rates_of(arguments, served, lowest_rate, rate_count));
      KV_ASSIGN(const auto rates_of_others, rates_of(arguments, served, lowest_rate_of_others, rate_count_of_others));
      if (const RegimeFacts facts = facts_of(*engine.snapshot()); facts.contexts > 0)
        bounds.prefill_seconds = facts.prefill_seconds / facts.contexts;
      StudyCell like{.policy = {}, .budget_fraction = share};
      if (served) {
        like.regime = served->regime;
        like.methods = served->methods;
      }
      std::vector<StudyCell> cells;
      if (arguments.bounds.itl_seconds <= 0) {
        StudyCell& unloaded = cells.emplace_back(like);
        unloaded.policy = "lru";
        unloaded.condition = unloaded_condition;
        unloaded.change = [](SessionSettings& settings) { settings.max_batch = 1; };
      }
      for (const std::string& text : split_policies(arguments.policies))
        for (const double rate : text.starts_with("evicpress") ? rates : rates_of_others) {
          like.requests_per_second = rate;
          KV_TRY(add_cells(text, alphas, like, cells));
        }
      return cells;
    };
    return run_study_figure(arguments, cells_of, [&](const StudyOutcomes& study) {
      FigureResult result = figure_rates(figure(), study.outcomes, bounds);
      result.settings["budgets"] = share;
      study.regime.tell(result);
      return result;
    });
  }

 private:
  static Expected<double> share_of(const FigureArguments& arguments, bool is_in_regime) {
    const std::string otherwise = is_in_regime ? papers_share : "0.2";
    KV_ASSIGN(const auto shares, study_numbers(arguments.budgets.empty() ? otherwise : arguments.budgets, "--budgets"));
    return shares.front();
  }

  static Expected<std::vector<double>> rates_of(const FigureArguments& arguments,
                                                const std::optional<ServedRegime>& served, double lowest,
                                                std::size_t count) {
    if (!arguments.rates.empty() || !served)
      return study_numbers(arguments.rates.empty() ? "4,8,16,24" : arguments.rates, "--rate");
    std::vector<double> rates(count);
    double rate = lowest * served->facts.contexts / served->facts.prefill_seconds;
    for (double& one : rates) one = std::exchange(rate, rate * rate_step);
    return rates;
  }
};

}  // namespace

const Experiment& evicpress_fig8() {
  static const RequestRates experiment;
  return experiment;
}

}  // namespace kvantage::inline evicpress_figures
