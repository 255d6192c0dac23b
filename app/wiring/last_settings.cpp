#include "app/wiring/last_settings.h"

#include <algorithm>

namespace kvantage::inline wiring {

void take_over(SessionSettings& settings, const SessionSettings& last) {
  SessionSettings taken = last;
  taken.tiers = std::move(settings.tiers);
  taken.archive = std::move(settings.archive);
  taken.request_limit = settings.request_limit;
  taken.quality_metric = settings.quality_metric;
  taken.products = settings.products;              // chosen with the model, by SessionOptions
  taken.decode_offload = settings.decode_offload;  // names a tier, and not every model can split
  if (taken.decode_offload != "none") taken.decode_eviction = settings.decode_eviction;  // they exclude each other
  for (TierConfig& tier : taken.tiers)
    if (const auto before = std::ranges::find(last.tiers, tier.name, &TierConfig::name); before != last.tiers.end()) {
      tier.budget = before->budget;
      tier.throttle = before->throttle;
    }
  settings = std::move(taken);
}

std::string faults_left_out(const SessionSettings& settings, const SessionSettings& last) {
  std::string tiers;
  for (const TierConfig& tier : settings.tiers) {
    const auto before = std::ranges::find(last.tiers, tier.name, &TierConfig::name);
    if (before == last.tiers.end() || before->faults.empty() || before->faults == tier.faults) continue;
    tiers += (tiers.empty() ? "" : ", ") + tier.name + " (" + before->faults + ")";
  }
  return tiers.empty() ? std::string()
                       : "the last session resumes without the faults injected into " + tiers +
                             "; inject them again in Controls or Run > Inject faults";
}

std::vector<std::string> with_last_budgets(std::vector<std::string> suggested, const SessionSettings& last) {
  for (std::string& text : suggested) {
    const std::string name = text.substr(0, text.find('='));
    if (const auto before = std::ranges::find(last.tiers, name, &TierConfig::name);
        before != last.tiers.end() && before->budget.is_given())
      text = name + "=" + to_string(before->budget);
  }
  return suggested;
}

}  // namespace kvantage::inline wiring
