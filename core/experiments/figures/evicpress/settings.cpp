#include "core/experiments/figures/evicpress/settings.h"

namespace kvantage::inline evicpress_figures {

FigureSetting workload_setting(const std::string& name) {
  return {"--workload",
          "Workload",
          name,
          {},
          "Folder of a workload, or the name of one; throttled tiers make figures of different machines comparable"};
}

FigureSetting one_value(FigureSetting setting, const std::string& label) {
  setting.label = label;
  setting.one = true;
  return setting;
}

FigureSetting methods_setting(const std::string& list) {
  return {"--methods", "Methods", list, list.empty() ? "the workload's candidates" : "",
          "Compression methods as text forms, comma-separated: keydiff, knorm+kivi4, ..."};
}

FigureSetting removed_setting(const std::string& list) {
  return {"--removed", "Removed fractions", list, list.empty() ? "the workload's candidates" : "",
          "Fractions of a context's tokens that are removed, comma-separated, each above 0 and below 1"};
}

FigureSetting budgets_setting(const std::string& list, const std::string& otherwise) {
  return {"--budgets", "Budgets", list, otherwise,
          "Total tier budget, as a share of the contexts' uncompressed bytes; in a paper's regime the budget of the "
          "fastest tier"};
}

FigureSetting alphas_setting(const std::string& list, const std::string& otherwise) {
  return {"--alpha", "Alphas (s)", list, otherwise,
          "Seconds of TTFT that a unit of quality is worth, comma-separated; each is a run of every policy that uses "
          "alpha"};
}

FigureSetting policies_setting(const std::string& list, const std::string& otherwise) {
  return {"--policy", "Policies", list, otherwise,
          "Policies as text forms, comma-separated: full_prefill, lru, fixed(METHOD,REMOVED_FRACTION), "
          "evicpress(quality=raw)"};
}

FigureSetting rates_setting(const std::string& list, const std::string& otherwise) {
  return {"--rate", "Rates (1/s)", list, otherwise, "Requests per second, Poisson arrivals"};
}

FigureSetting batch_setting(const std::string& most) {
  return {"--max-batch", "Max concurrency", most, {}, "Maximum concurrent requests"};
}

FigureSetting seeds_setting(const std::string& count) {
  return {"--seeds", "Seeds", count, {}, "Request sequences; every policy serves each of them"};
}

FigureSetting requests_setting(const std::string& count) {
  return {"--limit", "Requests per run", count, count.empty() ? "as many as the workload has" : "",
          "Measured requests per run, after one warm-up request per context"};
}

const std::vector<std::string>& options_of_curves() {
  static const std::vector<std::string> options{"--profile-questions", "--seed"};
  return options;
}

const std::vector<std::string>& options_of_serving() {
  static const std::vector<std::string> options{"--max-batch", "--profile-questions", "--seed"};
  return options;
}

}  // namespace kvantage::inline evicpress_figures
