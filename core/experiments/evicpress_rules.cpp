#include "core/experiments/evicpress_rules.h"

#include <algorithm>

#include "core/base/form_text.h"
#include "core/experiments/figure_text.h"

namespace kvantage::inline experiments {
namespace {

constexpr const char* section = "section 4.4";
constexpr const char* algorithm = "algorithm 1";

Outcomes of_rule(const Outcomes& outcomes, const char* name) {
  Outcomes found;
  for (const PolicyOutcome* outcome : outcomes)
    if (const auto rule = evicpress_rule(outcome->policy); rule && rule->name == name && outcome->extension.empty())
      found.push_back(outcome);
  return found;
}

Outcomes of_evicpress(const std::vector<PolicyOutcome>& outcomes) {
  Outcomes all;
  for (const PolicyOutcome& outcome : outcomes)
    if (evicpress_rule(outcome.policy)) all.push_back(&outcome);
  return all;
}

}  // namespace

std::optional<EvicPressRule> evicpress_rule(const std::string& policy) {
  const auto form = FormText::read(policy, "policy");
  if (!form || form->name() != "evicpress") return std::nullopt;
  EvicPressRule rule{section, true};
  std::string changes;
  bool is_raw = false, is_theirs = true;
  for (const FormText::Argument& argument : form->arguments()) {
    const std::string_view key = trimmed(argument.key), value = trimmed(argument.value);
    if (key == "start" && value == "quality") rule.name = algorithm;
    is_raw = is_raw || (key == "quality" && value == "raw");
    const bool is_drop = key == "drop" && value != "absolute";
    if (!is_drop && !(key == "prices" && value != "none")) continue;
    changes += ", " + std::string(key) + "=" + std::string(value);
    is_theirs = is_theirs && is_drop && value == "per_byte";
  }
  if (!is_raw) changes = ", pooled qualities" + changes;
  if (changes.empty()) return rule;
  return EvicPressRule{rule.name + changes + (is_raw && is_theirs ? " (the authors' code)" : " (ours)"), false};
}

std::vector<RuleOutcomes> by_rule(const std::vector<PolicyOutcome>& outcomes, double budget_fraction) {
  std::vector<RuleOutcomes> rules;
  for (const PolicyOutcome& outcome : outcomes) {
    auto rule = evicpress_rule(outcome.policy);
    if (!rule || outcome.budget_fraction != budget_fraction) continue;
    if (!outcome.extension.empty()) *rule = {rule->name + ", " + outcome.extension, false};
    const auto known = std::ranges::find(rules, rule->name, [](const RuleOutcomes& one) { return one.rule.name; });
    if (known == rules.end())
      rules.push_back({*rule, {&outcome}});
    else
      known->outcomes.push_back(&outcome);
  }
  return rules;
}

Outcomes of_papers_rule(const Outcomes& outcomes) {
  const Outcomes found = of_rule(outcomes, section);
  return found.empty() ? of_rule(outcomes, algorithm) : found;
}

Outcomes compared_runs(const Outcomes& of_evicpress) {
  Outcomes papers = of_papers_rule(of_evicpress);
  return papers.empty() ? of_evicpress : papers;
}

std::set<std::string> compared_names(const std::vector<PolicyOutcome>& outcomes) {
  std::set<std::string> names;
  for (const PolicyOutcome* outcome : compared_runs(of_evicpress(outcomes))) names.insert(name_of(*outcome));
  return names;
}

bool name_rule(FigureResult& result, const std::vector<PolicyOutcome>& outcomes) {
  const Outcomes all = of_evicpress(outcomes);
  if (all.empty()) return false;
  const Outcomes papers = of_papers_rule(all);
  if (papers.empty())
    result.findings.emplace_back(no_papers_rule);
  else
    result.settings["evicpress"] = evicpress_rule(papers.front()->policy)->name;
  return !papers.empty();
}

}  // namespace kvantage::inline experiments
