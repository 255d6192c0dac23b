// EvicPress at the scale of its evaluation, simulated beside the contexts of a measured session.
#include "core/experiments/paper_scale.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "core/base/form_text.h"
#include "core/base/random.h"
#include "core/engine/settings_check.h"
#include "core/experiments/figures/evicpress/figures.h"
#include "core/experiments/figures/evicpress/settings.h"
#include "core/experiments/studies/quality_experiment.h"
#include "core/experiments/studies/simulated_cells.h"
#include "core/experiments/studies/study_cells.h"
#include "core/policy/simulate.h"

namespace kvantage::inline evicpress_figures {
namespace {

constexpr std::uint64_t requests_per_context = 10;
constexpr std::uint64_t request_purpose = 3;  // of seeds

Expected<ScaleStudy> simulate_scale(const FigureArguments& arguments, SimulatedScale scale,
                                    const std::vector<std::string>& policies, const std::vector<double>& alphas,
                                    std::uint64_t requests) {
  const auto drawn = draw_requests(scale.snapshot, requests, derive_seed(arguments.seed, request_purpose));
  KV_ASSIGN(auto outcomes, simulate_cells(arguments, scale, policies, alphas, drawn));
  return ScaleStudy{std::move(scale), std::move(outcomes)};
}

class AtPaperScale final : public QualityExperiment {
 public:
  AtPaperScale()
      : QualityExperiment(PaperFigure{
            .name = "evicpress/paper-scale",
            .paper = "evicpress",
            .title = "TTFT against quality at the scale of the paper, simulated",
            .does =
                "Simulates every policy on 555 contexts of 13,175 tokens on average, 80 GB of DRAM, 800 GB of SSD and "
                "unlimited remote storage, with the authors' seconds per token of Qwen3-30B-A3B and its 98,304 bytes "
                "of KV per token. Each context takes the measured quality curves of a context of the workload. Its "
                "length is a log-normal draw with the mean of its data set in table 1 and the variation in table 2. "
                "Beside it, the same simulation of the workload's own contexts. No claim gets a verdict from these.",
            .expected =
                "At equal quality, evicpress is faster than every fixed configuration + LRU; near full quality, it is "
                "faster than prefill and LRU, by as much at both scales.",
            .published = "measured, with five models: against fixed compression with LRU 1.43 - 3.77 times lower TTFT "
                         "at equal quality and 13.58 - 55.40 % more quality at equal TTFT; within 3 % of full quality "
                         "1.29 - 2.19 times faster than prefill and 1.22 - 1.56 times than LRU alone",
            .settings = {workload_setting("evicpress-regime"),
                         {"--budgets",
                          "Budget",
                          {},
                          "80 GB of DRAM and 800 GB of SSD",
                          "DRAM as a share of all KV, such as the 0.4 of the authors' simulator; SSD is ten times that",
                          true},
                         alphas_setting({},
                                        "median seconds to load a context from remote storage, times 0.1, 0.3, 1, "
                                        "3, 10"),
                         policies_setting({},
                                          "prefill, lru, every fixed configuration + LRU, evicpress by the paper's two "
                                          "rules, that of its authors' code, and ours"),
                         methods_setting("keydiff,knorm,snapkv"),
                         removed_setting({}),
                         metric_setting(),
                         {"--limit",
                          "Requests per run",
                          {},
                          "10 per context; the paper has 50",
                          "Simulated requests per run, after one warm-up request per context"}},
            .more = options_of_curves(),
            .quick = {{"--methods", "keydiff"},
                      {"--removed", "0.6"},
                      {"--limit", "100"},
                      {"--quality-metric", "token_f1"},
                      {"--policy", "full_prefill,lru,fixed(keydiff,0.6),evicpress(quality=raw)"}}}) {}

  Status check(const FigureArguments& arguments) const override {
    KV_TRY(QualityExperiment::check(arguments));
    return check_simulated(arguments.policies);
  }

 protected:
  Expected<std::vector<FigureResult>> measure(const FigureArguments& arguments) const override {
    KV_ASSIGN(const auto session,
              arguments.host->open_session(arguments, arguments.seed, split_list(arguments.methods)));
    const Engine& engine = session->engine();
    const auto measured = engine.snapshot();
    const SessionSettings settings = engine.settings();
    PaperScale scale;
    if (!arguments.budgets.empty()) {
      KV_ASSIGN(const auto shares, study_numbers(arguments.budgets, "--budgets"));
      scale.dram_share = shares.front();
    }
    KV_ASSIGN(auto paper, paper_scale(scale, *measured, settings.methods, arguments.seed));
    auto beside = session_scale(*measured, settings.methods, first_tier_share(paper));
    std::vector<std::string> policies = split_policies(arguments.policies);
    if (policies.empty()) {
      KV_ASSIGN(auto fixed, fixed_forms(settings.methods, settings.removed_fractions));
      policies = scale_policies(std::move(fixed));
    }
    std::vector<double> alphas = paper_alphas(paper);
    if (!arguments.alphas.empty()) {
      KV_ASSIGN(alphas, study_numbers(arguments.alphas, "--alpha"));
    }
    const std::uint64_t requests =
        arguments.requests > 0 ? arguments.requests : requests_per_context * paper.snapshot.contexts.size();
    arguments.lines->expect_cells(policies.size() * (beside ? std::size_t{2} : std::size_t{1}));
    // The same multiples of each scale's own median.
    std::vector<double> beside_alphas = alphas;
    const double paper_unit = median_last_load_seconds(paper);
    if (beside)
      for (double& alpha : beside_alphas) alpha *= median_last_load_seconds(*beside) / paper_unit;
    KV_ASSIGN(const auto simulated, simulate_scale(arguments, std::move(paper), policies, alphas, requests));
    std::optional<ScaleStudy> other;
    if (beside) {
      KV_ASSIGN(other, simulate_scale(arguments, std::move(*beside), policies, beside_alphas, requests));
    }
    FigureResult result = figure_paper_scale(figure(), simulated, other);
    result.settings.update(study_settings(arguments, engine));
    return std::vector<FigureResult>{std::move(result)};
  }

 private:
  static std::vector<std::string> scale_policies(std::vector<std::string> fixed) {
    std::vector<std::string> texts{"full_prefill", "lru"};
    std::ranges::move(fixed, std::back_inserter(texts));
    for (const char* text : {"evicpress(quality=raw)", "evicpress(start=quality,quality=raw)",
                             "evicpress(drop=per_byte,quality=raw)", "evicpress(drop=best)"})
      texts.emplace_back(text);
    return texts;
  }
};

}  // namespace

const Experiment& evicpress_paper_scale() {
  static const AtPaperScale experiment;
  return experiment;
}

}  // namespace kvantage::inline evicpress_figures
