#include "core/policy/explain/decision.h"

#include <algorithm>
#include <cmath>

#include "core/policy/plan_text.h"
#include "core/policy/planning_problem.h"
#include "core/policy/utility.h"

namespace kvantage::inline explain {
namespace {

/// `forms`: of one tier, ascending in bytes. A form with no more utility than a smaller one is never worth its bytes.
void mark_dominated(std::vector<Alternative>& forms, double alpha, bool by_formula) {
  const auto value = [=](const Alternative& a) { return by_formula ? a.utility : alpha * a.quality - a.ttft_seconds; };
  for (Alternative& form : forms)
    form.dominated = std::any_of(forms.begin(), forms.end(), [&](const Alternative& other) {
      return value(other) >= value(form) && other.bytes <= form.bytes &&
             (value(other) > value(form) || other.bytes < form.bytes);
    });
}

std::optional<std::size_t> best_other(const Decision& decision) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < decision.alternatives.size(); ++i) {
    if (i == decision.chosen) continue;
    const Alternative& here = decision.alternatives[i];
    if (best) {
      const Alternative& other = decision.alternatives[*best];
      if (here.utility < other.utility || (here.utility == other.utility && here.bytes >= other.bytes)) continue;
    }
    best = i;
  }
  return best;
}

/// Reads a context's configurations as a formula does.
class FormulaReader {
 public:
  FormulaReader(const Formula& formula, const Snapshot& snapshot, std::size_t index, QualityReading reading)
      : formula_(formula),
        snapshot_(snapshot),
        context_(snapshot.contexts[index]),
        reading_(reading),
        fallback_(mean_uncompressed_quality(snapshot, reading)),
        unstored_(predict(snapshot, context_, {}, fallback_, reading)) {}

  /// Of each quantity that the formula names: "quality = 0.9".
  std::string text(const Configuration& configuration) const {
    const Prediction here = predict(snapshot_, context_, configuration, fallback_, reading_);
    const QuantityValues values = quantities_of(snapshot_, context_, configuration, here, unstored_);
    std::string text;
    for (std::size_t i = 0; i < quantity_count; ++i) {
      const auto quantity = static_cast<Quantity>(i);
      if (formula_.uses(quantity))
        text += (text.empty() ? "" : ", ") + std::string(quantities()[i].name) + " = " + short_number(values[quantity]);
    }
    return text;
  }

 private:
  const Formula& formula_;
  const Snapshot& snapshot_;
  const ContextState& context_;
  QualityReading reading_;
  double fallback_;
  Prediction unstored_;
};

void find_crossings(Decision& decision) {
  const Alternative& choice = decision.choice();
  const auto value = [&](const Alternative& a) { return decision.alpha * a.quality - a.ttft_seconds; };
  for (std::size_t i = 0; i < decision.alternatives.size(); ++i) {
    const Alternative& other = decision.alternatives[i];
    const bool available = !choice.configuration.stored() || !other.configuration.stored() ||
                           other.configuration.tier == choice.configuration.tier;
    if (i == decision.chosen || !available || value(other) > value(choice)) continue;
    const double better = other.quality - choice.quality, later = other.ttft_seconds - choice.ttft_seconds;
    if (better == 0) continue;
    const double alpha = later / better;
    if (!(alpha > 0) || !std::isfinite(alpha)) continue;
    std::optional<Crossing>& nearest = better > 0 ? decision.above : decision.below;
    if (!nearest || (better > 0 ? alpha < nearest->alpha : alpha > nearest->alpha)) nearest = Crossing{alpha, i};
  }
}

}  // namespace

std::vector<Alternative> alternatives(const Snapshot& snapshot, std::size_t index, const Configuration& chosen,
                                      QualityReading reading, const Formula* formula) {
  const PlanningProblem problem(snapshot, reading);
  const PlanningItem& item = problem.items()[index];
  const Prediction unstored{.quality = item.prefill_quality, .ttft_seconds = item.prefill_seconds};
  const auto make = [&](const Configuration& configuration, std::uint64_t bytes, double quality, double seconds) {
    const Prediction here{.bytes = bytes, .quality = quality, .ttft_seconds = seconds};
    return Alternative{configuration,
                       bytes,
                       quality,
                       seconds,
                       formula != nullptr ? formula_utility(*formula, snapshot, snapshot.contexts[index], configuration,
                                                            here, unstored)
                                          : utility(snapshot.alpha, quality, seconds, item.frequency),
                       0,
                       item.quality_assumed,
                       same_configuration(configuration, chosen),
                       false};
  };
  std::vector<Alternative> all;
  for (std::size_t t = 0; t < problem.tiers(); ++t) {
    const int tier = static_cast<int>(t);
    if (item.fixed && item.fixed_tier != tier) continue;
    std::vector<Alternative> forms;
    for (std::uint32_t o = item.first; o < item.first + item.count; ++o)
      forms.push_back(make(problem.configuration(index, o, tier), problem.bytes(o), problem.quality(o),
                           problem.ttft_seconds(o, t)));
    mark_dominated(forms, snapshot.alpha, formula != nullptr);
    all.insert(all.end(), forms.rbegin(), forms.rend());
  }
  all.push_back(make({}, 0, item.prefill_quality, item.prefill_seconds));
  auto choice = std::find_if(all.begin(), all.end(), [](const Alternative& a) { return a.chosen; });
  if (choice == all.end()) {  // not a candidate, but its current placement
    const Prediction p =
        predict(snapshot, snapshot.contexts[index], chosen, mean_uncompressed_quality(snapshot, reading), reading);
    const auto place = std::find_if(all.begin(), all.end(), [&](const Alternative& a) {
      return !a.configuration.stored() || a.configuration.tier > chosen.tier ||
             (a.configuration.tier == chosen.tier && a.bytes < p.bytes);
    });
    Alternative present = make(chosen, p.bytes, p.quality, p.ttft_seconds);
    present.quality_assumed = p.quality_assumed;
    choice = all.insert(place, std::move(present));
  }
  const double utility_now = choice->utility;
  for (Alternative& alternative : all) alternative.utility_drop = utility_now - alternative.utility;
  return all;
}

Instead force_alternative(const Snapshot& snapshot, const Policy& policy, const Plan& plan, std::size_t index,
                          const Alternative& alternative) {
  Instead instead;
  instead.planned = true;
  const auto tier = static_cast<std::size_t>(alternative.configuration.tier);
  if (alternative.configuration.stored() && alternative.bytes > snapshot.tiers[tier].budget_bytes) {
    instead.too_large = true;
    return instead;
  }
  Snapshot forced = snapshot;
  ContextState& held = forced.contexts[index];
  held.placement = alternative.configuration;
  held.stored_bytes = alternative.bytes;
  held.pinned = true;
  const Plan around = policy.plan(forced);
  for (std::size_t i = 0; i < around.contexts.size(); ++i) {
    if (i == index) continue;
    const PlannedContext &before = plan.contexts[i], &after = around.contexts[i];
    instead.others_change += after.utility - before.utility;
    if (!same_configuration(before.configuration, after.configuration))
      instead.moved.push_back({i, before.configuration, after.configuration, after.utility - before.utility});
  }
  std::stable_sort(instead.moved.begin(), instead.moved.end(),
                   [](const auto& a, const auto& b) { return a.utility_change < b.utility_change; });
  return instead;
}

std::optional<Decision> decide(const Snapshot& snapshot, const Policy& policy, std::size_t index,
                               const std::function<bool()>& given_up) {
  const Plan plan = policy.plan(snapshot);
  if (given_up && given_up()) return std::nullopt;
  const ContextState& context = snapshot.contexts[index];
  Decision decision;
  decision.context = index;
  decision.alpha = snapshot.alpha;
  decision.frequency = context.frequency;
  decision.placed = is_placed(snapshot, context) ? context.placement : Configuration{};
  decision.reason = plan.contexts[index].reason;
  decision.weighs_utility = weighs_utility(policy);
  const Formula* formula = policy.utility_formula();
  decision.alternatives =
      alternatives(snapshot, index, plan.contexts[index].configuration, policy.quality_reading(), formula);
  decision.chosen = static_cast<std::size_t>(
      std::find_if(decision.alternatives.begin(), decision.alternatives.end(), [](const auto& a) { return a.chosen; }) -
      decision.alternatives.begin());
  const auto best = best_other(decision);
  if (formula != nullptr) {
    const FormulaReader reader(*formula, snapshot, index, policy.quality_reading());
    decision.formula = FormulaReading{formula->text(), reader.text(decision.choice().configuration),
                                      best ? reader.text(decision.alternatives[*best].configuration) : std::string()};
  } else {
    find_crossings(decision);
  }
  if (!best || !(context.frequency > 0)) return decision;
  const Alternative& other = decision.alternatives[*best];
  if (decision.weighs_utility)
    decision.instead = force_alternative(snapshot, policy, plan, index, other);
  else
    decision.instead.emplace();
  decision.instead->alternative = *best;
  decision.instead->own_change = -other.utility_drop;
  return decision;
}

}  // namespace kvantage::inline explain
