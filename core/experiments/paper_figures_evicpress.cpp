// EvicPress: joint compression and eviction of KV caches.
#include "core/experiments/paper_figures.h"

namespace kvantage::inline experiments {
namespace {

FigureSetting workload(const std::string& name) {
  return {
      "--workload",
      "Workload",
      name,
      {},
      "Folder of a workload, or the name of a sample; throttled tiers make figures of different machines comparable"};
}
/// For a figure that reads only one of them.
FigureSetting one(FigureSetting setting, const std::string& label) {
  setting.label = label;
  setting.one = true;
  return setting;
}
FigureSetting methods(const std::string& list) {
  return {"--methods", "Methods", list, list.empty() ? "the workload's candidates" : "",
          "Compression methods as text forms, comma-separated: keydiff, knorm+kivi4, ..."};
}
FigureSetting removed(const std::string& list) {
  return {"--removed", "Removed fractions", list, list.empty() ? "the workload's candidates" : "",
          "Fractions of a context's tokens that are removed, comma-separated, each above 0 and below 1"};
}
FigureSetting budgets(const std::string& list) {
  return {"--budgets", "Budgets", list, {}, "Total tier budget, as a share of the contexts' uncompressed bytes"};
}
FigureSetting alphas(const std::string& list, const std::string& otherwise) {
  return {"--alpha", "Alphas (s)", list, otherwise,
          "Seconds of TTFT that a unit of quality is worth, comma-separated; each is a run of every policy that uses "
          "alpha"};
}
FigureSetting policies(const std::string& list, const std::string& otherwise = {}) {
  return {"--policy", "Policies", list, otherwise,
          "Policies as text forms, comma-separated: full_prefill, lru, fixed(METHOD,REMOVED_FRACTION), "
          "evicpress(drop=best)"};
}
FigureSetting rates(const std::string& list) {
  return {"--rate", "Rates (1/s)", list, {}, "Requests per second, Poisson arrivals"};
}
FigureSetting batch(const std::string& most) {
  return {"--max-batch", "Max concurrency", most, {}, "Maximum concurrent requests"};
}
FigureSetting seeds() { return {"--seeds", "Seeds", "3", {}, "Request sequences; every policy serves each of them"}; }
FigureSetting requests() {
  return {"--limit",
          "Requests per run",
          {},
          "as many as the workload has",
          "Measured requests per run, after one warm-up request per context"};
}
const char* const five_alphas = "five, scaled to the profiles";

// 7, 9, 11 and 12 are four views of the same runs.
std::vector<FigureSetting> settings_of_runs() {
  return {workload("sensitivity-mix"),
          budgets("0.1,0.2,0.33"),
          alphas({}, five_alphas),
          policies({},
                   "prefill, lru, lfu, s3fifo, gdsf, every fixed configuration + LRU, impress at three shares, "
                   "adaptcache, evicpress(drop=best)"),
          methods({}),
          removed({}),
          seeds(),
          requests()};
}

const std::vector<std::string> of_curves{"--profile-questions", "--quality-metric", "--seed"},
    of_serving{"--max-batch", "--profile-questions", "--quality-metric", "--seed"};
constexpr const char* of_runs =
    "Full prefill, LRU, LFU, S3-FIFO, GDSF, every fixed configuration + LRU, IMPRESS, AdaptCache and evicpress serve "
    "the same requests under each budget. IMPRESS here stores only the important fraction of each context; the paper's "
    "loads only that fraction of a fully stored entry. Figures 7, 9, 11 and 12 are views of the same runs, which "
    "evicpress/runs performs once for all four.";

std::vector<PaperFigure> sensitivity_figures() {
  return {
      {.name = "evicpress/fig2",
       .paper = "evicpress",
       .title = "compression only, eviction only, both together: two caches, two tiers",
       .does = "The paper's worked example, computed with KVantage's own policies: a 4 GB cache that compresses to 5 % "
               "without loss, an 8 GB cache that loses quality under any compression, a fast tier of 8 GB at 20 GB/s, "
               "and a slow tier at 2 GB/s.",
       .expected = "Compression only is fastest but loses quality; eviction only keeps full quality but is slow; both "
                   "together keep full quality and are nearly as fast.",
       .published = "total TTFT 0.3, 2.4 and 0.5 s at a quality of 75, 100 and 100 %"},
      {.name = "evicpress/fig3",
       .paper = "evicpress",
       .title = "quality drop of each context under the same compression",
       .does = "Measures the quality curves of all contexts and compares their relative quality drop at one method and "
               "removed fraction, by family.",
       .expected = "Drops vary widely: some contexts tolerate a compression that severely degrades others. They vary "
                   "less within a family than between families.",
       .published = "medians of six datasets from 0.340 (NarrativeQA) to 0.759 (Qasper), coefficients of variation "
                    "within a dataset from 0.078 to 0.394",
       .settings = {workload("sensitivity-mix"), one(methods("keydiff"), "Method"),
                    one(removed("0.9"), "Removed fraction")},
       .more = of_curves,
       .quick = {{"--methods", "keydiff"}, {"--removed", "0.6"}}},
      {.name = "evicpress/fig4",
       .paper = "evicpress",
       .title = "the method with the smallest quality drop for each context",
       .does = "For each context, the method with the smallest quality drop at one removed fraction. Ties are split "
               "evenly and counted.",
       .expected = "No method is best for all: several lead for a substantial share of the contexts, regardless of "
                   "their length.",
       .published = "kvzip 40.3 %, knorm 40.0 %, snapkv 19.7 % of the contexts; their lengths overlap",
       .settings = {workload("sensitivity-mix"), methods("kvzip,knorm,snapkv"),
                    one(removed("0.6"), "Removed fraction")},
       .more = of_curves,
       .quick = {{"--methods", "keydiff,knorm"}, {"--removed", "0.6"}}},
      {.name = "evicpress/fig5",
       .paper = "evicpress",
       .title = "removed fraction with the best balance of quality and TTFT",
       .does = "For each context, the removed fraction that maximizes quality / uncompressed quality - TTFT / "
               "uncompressed TTFT on the slowest tier. Times are predicted from that tier's fit.",
       .expected = "The best fraction differs between families and between contexts of one family.",
       .published = "it differs between datasets and between contexts of one dataset: coefficients of variation from "
                    "0.068 to 0.806",
       .settings = {workload("sensitivity-mix"), methods("keydiff,knorm,snapkv,kvzip"),
                    removed("0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9")},
       .more = of_curves,
       .quick = {{"--methods", "keydiff"}, {"--removed", "0.3,0.6"}}},
  };
}

std::vector<PaperFigure> frontier_figures() {
  return {
      {.name = "evicpress/fig7",
       .paper = "evicpress",
       .title = "TTFT against quality, all families together",
       .does = of_runs,
       .expected = "At equal quality, evicpress is faster than every fixed configuration + LRU and than IMPRESS. Near "
                   "full quality, it is faster than prefill and LRU.",
       .published = "against fixed compression with LRU 1.43 - 3.77 times lower TTFT at equal quality and 13.58 - "
                    "55.40 % more quality at equal TTFT; against IMPRESS 1.5 - 5.2 "
                    "times and 14.29 - 27.00 %; within 3 % of full quality 1.29 - 2.19 times faster than prefill and "
                    "1.22 - 1.56 times than LRU alone",
       .settings = settings_of_runs(),
       .records_runs = true,
       .more = of_serving},
      {.name = "evicpress/fig8",
       .paper = "evicpress",
       .title = "TTFT and inter-token latency against request rate",
       .does = "Every policy under Poisson arrivals at each rate. Compares the highest rate that each sustains at the "
               "minimum quality while the 95th percentile of TTFT, or the mean inter-token latency, stays within its "
               "bound. Also breaks down the engine's time.",
       .expected = "evicpress sustains a higher rate than any other policy before requests queue.",
       .published = "at a quality of 0.8 2.0 - 3.6 times the rate of the best baseline at equal TTFT, 1.9 - 3.4 times "
                    "at equal inter-token latency",
       .settings = {workload("sensitivity-mix"),
                    rates("4,8,16,24"),
                    {"--ttft-bound",
                     "TTFT bound (s)",
                     "1",
                     {},
                     "Bound on the 95th percentile of TTFT including queueing, in seconds"},
                    {"--itl-bound",
                     "Inter-token bound (s)",
                     {},
                     "twice that of requests served one at a time",
                     "Bound on the mean inter-token latency, in seconds"},
                    {"--min-quality", "Minimum quality", "0.8", {}, "Minimum mean quality, 0 to 1"},
                    one(budgets("0.2"), "Budget"),
                    alphas({}, five_alphas),
                    policies("lru,fixed(kivi4,0),fixed(keydiff+kivi4,0.4),evicpress(drop=best)"),
                    methods("keydiff+kivi4,knorm+kivi4,snapkv+kivi4,kivi4"),
                    removed("0.2,0.4,0.6,0.8,0.9"),
                    batch("8"),
                    seeds(),
                    requests()},
       .records_runs = true,
       .more = {"--profile-questions", "--quality-metric", "--seed"},
       .quick = {{"--seeds", "1"},
                 {"--limit", "4"},
                 {"--methods", "keydiff,kivi4"},
                 {"--removed", "0.6"},
                 {"--rate", "20"},
                 {"--policy", "lru,evicpress"},
                 {"--alpha", "0.3"}}},
      {.name = "evicpress/fig9",
       .paper = "evicpress",
       .title = "requests served by each tier, and quality",
       .does = of_runs,
       .expected =
           "At equal or higher quality more requests are served by the fast tier than under fixed configurations.",
       .published = "evicpress hits the fast tier more often at higher quality; the slow tier less often",
       .settings = settings_of_runs(),
       .records_runs = true,
       .more = of_serving},
  };
}

std::vector<PaperFigure> condition_figures() {
  return {
      {.name = "evicpress/fig10",
       .paper = "evicpress",
       .title = "quality and latency over time, with and without re-profiling",
       .does = "Questions about each context drift in the middle of the run; served once with re-profiling and once "
               "without, in eight parts of the run.",
       .expected = "Without re-profiling, quality falls with the drift and stays low; with it, quality recovers, and "
                   "latency rises only while profiling runs.",
       .published = "with re-profiling, quality rises over time by about 11 %; latency rises briefly while profiling "
                    "runs (Azure arrivals, threshold 0.3, one profiling question per context)",
       .settings = {workload("drifting-questions"),
                    one(rates("12"), "Rate (1/s)"),
                    {"--reprofile-threshold",
                     "Threshold",
                     "0.15",
                     {},
                     "Share by which answers may fall short of their profile before a context is re-profiled"},
                    {"--profile-questions",
                     "Profile questions",
                     "0",
                     {},
                     "Questions per context for the initial quality curve; 0: all. The paper uses one"},
                    alphas("3", {}),
                    policies("evicpress(drop=best)"),
                    methods({}),
                    removed({}),
                    seeds(),
                    requests()},
       .records_runs = true,
       .more = {"--max-batch", "--quality-metric", "--seed"},
       .quick = {{"--seeds", "1"}, {"--limit", "4"}, {"--rate", "20"}, {"--alpha", "0.3"}}},
  };
}

std::vector<PaperFigure> shared_run_figures() {
  return {
      {.name = "evicpress/fig11",
       .paper = "evicpress",
       .title = "methods and removed fractions chosen on each tier",
       .does = of_runs,
       .expected = "Several methods at many removed fractions are in use, and slower tiers hold more strongly "
                   "compressed caches.",
       .published = "a broad mix; slower tiers hold more strongly compressed caches; keydiff is chosen most often, the "
                    "others for a substantial share of the contexts",
       .settings = settings_of_runs(),
       .records_runs = true,
       .more = of_serving},
      {.name = "evicpress/fig12",
       .paper = "evicpress",
       .title = "TTFT against quality by family",
       .does = of_runs,
       .expected = "Ahead of the fixed configurations in nearly every family.",
       .published = "better than keydiff with LRU on 11 of 12 datasets, by most on short contexts",
       .settings = settings_of_runs(),
       .records_runs = true,
       .more = of_serving},
      {.name = "evicpress/runs",
       .paper = "evicpress",
       .title = "figures 7, 9, 11 and 12 from the same runs",
       .does = of_runs,
       .expected = "See evicpress/fig7, evicpress/fig9, evicpress/fig11 and evicpress/fig12.",
       .published = "see evicpress/fig7, evicpress/fig9, evicpress/fig11 and evicpress/fig12",
       .settings = settings_of_runs(),
       .records_runs = true,
       .more = of_serving,
       .quick = {{"--seeds", "1"},
                 {"--limit", "4"},
                 {"--policy", "full_prefill,lru,fixed(keydiff,0.6),evicpress"},
                 {"--alpha", "0.3"},
                 {"--budgets", "0.5"}}},
      {.name = "evicpress/limits",
       .paper = "evicpress",
       .title = "limits of joint decisions",
       .does = "LRU, fixed configurations and evicpress with all budget in DRAM, with abundant DRAM, with tiers of "
               "equal bandwidth, and with the bandwidth cut to a quarter halfway through the run.",
       .expected =
           "The advantage shrinks when everything fits into the fast tier, and when tiers have similar bandwidth.",
       .published = "with abundant DRAM, and with tiers of similar bandwidth, the advantage diminishes; rapidly "
                    "changing bandwidth makes decisions suboptimal (section 8, no figures)",
       .settings = {workload("sensitivity-mix"), one(budgets("0.2"), "Budget"), alphas({}, five_alphas),
                    policies("lru,fixed(keydiff,0.5),fixed(snapkv,0.5),evicpress(drop=best)"), methods({}), removed({}),
                    seeds(), requests()},
       .records_runs = true,
       .more = of_serving,
       .quick = {{"--seeds", "1"}, {"--limit", "2"}, {"--policy", "lru"}}},
  };
}

}  // namespace

std::vector<PaperFigure> evicpress_figures() {
  return joined({sensitivity_figures, frontier_figures, condition_figures, shared_run_figures});
}

}  // namespace kvantage::inline experiments
