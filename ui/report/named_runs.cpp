#include "ui/report/named_runs.h"

#include <algorithm>
#include <functional>

#include "core/base/units.h"
#include "core/report/report_differences.h"

namespace kvantage::inline report_pages {
namespace {

std::string tier_text(const PolicyRow& row, const std::string& name) {
  const auto tier = std::ranges::find(row.tiers, name, &TierUsage::name);
  if (tier == row.tiers.end()) return "no " + name;
  return name + " " + (tier->budget_bytes == 0 ? "unlimited" : format_bytes(tier->budget_bytes)) +
         (tier->throttled ? ", throttled" : "");
}

std::string faults_text(const PolicyRow& row) {
  std::string text;
  for (const auto& [tier, faults] : row.faults)
    text.append(text.empty() ? "faults injected into " : " and ").append(tier).append(" (").append(faults).append(")");
  return text.empty() ? "no faults injected" : text;
}

/// Of alpha, the policy, budgets and faults the rows themselves say more.
bool said_by_rows(const std::string& setting) {
  return setting == "alpha" || setting == "policy" || setting.ends_with("/budget_bytes") ||
         setting.ends_with("/faults") || setting.ends_with("/name");
}

}  // namespace

std::string letter_of_run(std::size_t run) {
  std::string letters;
  for (std::size_t rest = run + 1; rest > 0; rest = (rest - 1) / 26)
    letters.insert(letters.begin(), static_cast<char>('A' + (rest - 1) % 26));
  return letters;
}

std::string letter_of(const std::vector<NamedRun>& runs, const std::string& name) {
  const auto found = std::ranges::find(runs, name, &NamedRun::name);
  return found == runs.end() ? std::string() : found->letter;
}

std::vector<NamedRun> named_runs(const RunReport& report) {
  std::vector<NamedRun> runs;
  runs.reserve(report.rows.size());
  for (const PolicyRow& row : report.rows) runs.push_back({letter_of_run(runs.size()), row.policy, {}});
  const auto say = [&](const std::function<std::string(const PolicyRow&)>& text_of) {
    const bool differ = std::ranges::any_of(
        report.rows, [&](const PolicyRow& row) { return text_of(row) != text_of(report.rows.front()); });
    for (std::size_t i = 0; differ && i < runs.size(); ++i)
      runs[i].differs += (runs[i].differs.empty() ? "" : "; ") + text_of(report.rows[i]);
  };
  say([](const PolicyRow& row) { return "alpha " + dump_json(Json(round_to_digits(row.alpha, 3))) + " s"; });
  std::vector<std::string> tiers;
  for (const PolicyRow& row : report.rows)
    for (const TierUsage& tier : row.tiers)
      if (std::ranges::find(tiers, tier.name) == tiers.end()) tiers.push_back(tier.name);
  for (const std::string& tier : tiers) say([&](const PolicyRow& row) { return tier_text(row, tier); });
  say(faults_text);
  if (!report.differences) return runs;
  for (NamedRun& run : runs) {
    if (run.name == report.differences->baseline) run.differs += run.differs.empty() ? "baseline" : "; baseline";
    for (const SettingDifference& setting : report.differences->settings)
      if (setting.run == run.name && !said_by_rows(setting.name))
        run.differs += (run.differs.empty() ? "" : "; ") + setting.name + " " + setting_text(setting.value) +
                       " instead of " + setting_text(setting.baseline);
  }
  return runs;
}

}  // namespace kvantage::inline report_pages
