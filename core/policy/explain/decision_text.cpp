#include "core/policy/explain/decision_text.h"

#include <algorithm>
#include <cmath>

#include "core/base/units.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline explain {
namespace {

constexpr double lowest_defined = -1e99;  // of a formula: below, its value is not finite
constexpr std::size_t max_named = 3;      // displaced contexts named in a text

std::string metrics(const Alternative& a) {
  return "quality " + short_number(a.quality) + (a.quality_assumed ? " (assumed)" : "") + ", TTFT " +
         format_seconds(a.ttft_seconds) + (a.bytes > 0 ? ", " + format_bytes(a.bytes) : std::string()) + ", utility " +
         (a.utility < lowest_defined ? std::string("undefined") : short_number(a.utility));
}

std::string placed_elsewhere(const Snapshot& snapshot, const Decision& decision) {
  const Configuration &wanted = decision.choice().configuration, &placed = decision.placed;
  const std::string now = describe(snapshot, placed), then = describe(snapshot, wanted);
  return now == then ? std::string() : "It is still in: " + now + ". Plans are executed between requests.";
}

std::string why_not(const Snapshot& snapshot, const Decision& decision) {
  const Instead& instead = *decision.instead;
  const Alternative& other = decision.alternatives[instead.alternative];
  const std::string name = describe(snapshot, other.configuration);
  const std::string unit = decision.formula ? " " : " s ", end = decision.formula ? " of utility" : " s";
  const double own = instead.own_change;
  if (own <= 0) {
    return "Runner-up: " + name + ", " +
           (own == 0 ? "with the same utility."
                     : "with " + short_number(-own) + unit + "less utility (" + metrics(other) + ").");
  }
  std::string text = name + " would gain " + short_number(own) + unit + "of utility (" + metrics(other) + ")";
  if (!instead.planned) return text + ", but this policy does not weigh utility.";
  const std::string tier = other.configuration.stored()
                               ? snapshot.tiers[static_cast<std::size_t>(other.configuration.tier)].name
                               : std::string();
  if (instead.too_large)
    return text + ", but the entry is larger than the budget of " + tier + ", " +
           format_bytes(snapshot.tiers[static_cast<std::size_t>(other.configuration.tier)].budget_bytes) + ".";
  if (instead.moved.empty()) {
    text += " and displace no other context";
  } else {
    text += instead.others_change >= 0
                ? ", and others would move and gain " + short_number(instead.others_change) + unit + "of utility ("
                : ", but " + (tier.empty() ? std::string("it") : tier + " is full: it") +
                      " would displace others, costing " + short_number(-instead.others_change) + unit + "of utility (";
    for (std::size_t i = 0; i < instead.moved.size() && i < max_named; ++i) {
      const Instead::Moved& moved = instead.moved[i];
      text += (i > 0 ? "; " : "") + snapshot.contexts[moved.context].id + " to " + describe(snapshot, moved.to) + ", " +
              short_number(moved.utility_change) + end;
    }
    if (instead.moved.size() > max_named) text += "; " + std::to_string(instead.moved.size() - max_named) + " more";
    text += ")";
  }
  const double net = own + instead.others_change;
  if (net > 1e-9 * (1 + std::fabs(own)))
    return text + ". Net gain " + short_number(net) + end +
           ": the policy takes the smallest utility drop at each step and misses it.";
  return text + ": net loss " + short_number(-net) + end + ".";
}

std::string crossing_text(const Snapshot& snapshot, const Decision& decision, const Crossing& crossing, bool above) {
  return std::string("α ") + (above ? "> " : "< ") + short_number(crossing.alpha) + " s (to " +
         describe(snapshot, decision.alternatives[crossing.alternative].configuration) + ")";
}

}  // namespace

std::vector<std::string> decision_text(const Snapshot& snapshot, const Decision& decision) {
  const ContextState& context = snapshot.contexts[decision.context];
  const Alternative& choice = decision.choice();
  std::vector<std::string> sentences;
  sentences.push_back(context.id + ": " + describe(snapshot, choice.configuration) + ". Predicted: " + metrics(choice) +
                      ", at frequency " + short_number(decision.frequency) + ".");
  if (std::string still = placed_elsewhere(snapshot, decision); !still.empty()) sentences.push_back(std::move(still));
  if (!decision.reason.empty() && decision.weighs_utility) sentences.push_back("Why: " + decision.reason + ".");
  if (!decision.weighs_utility)
    sentences.push_back(
        "This policy reacts to events and does not weigh utility: the choice is the entry's current placement.");
  if (decision.formula)
    sentences.push_back("Utility is the formula " + decision.formula->formula +
                        ". This choice: " + decision.formula->choice + "." +
                        (decision.formula->other.empty() ? "" : " Runner-up: " + decision.formula->other + "."));
  if (decision.instead) sentences.push_back(why_not(snapshot, decision));
  std::string crossings;
  if (decision.above) crossings = crossing_text(snapshot, decision, *decision.above, true);
  if (decision.below)
    crossings += (crossings.empty() ? "" : " and ") + crossing_text(snapshot, decision, *decision.below, false);
  if (!crossings.empty() && decision.frequency > 0)
    sentences.push_back("Ignoring other contexts, the best choice changes at " + crossings + "; α is " +
                        short_number(decision.alpha) + " s.");
  if (decision.weighs_utility && decision.frequency <= 0 && !decision.choice().configuration.stored())
    sentences.push_back("Nothing changes until its first request.");
  return sentences;
}

std::string turning_text(const Snapshot& snapshot, const Turning& turning) {
  const auto value = [&](double of) {
    return turning.lever == Lever::budget  ? format_bytes(static_cast<std::uint64_t>(of))
           : turning.lever == Lever::alpha ? short_number(of) + " s"
                                           : short_number(of);
  };
  const std::string lever = turning.lever == Lever::frequency ? "frequency"
                            : turning.lever == Lever::alpha
                                ? "α"
                                : snapshot.tiers[static_cast<std::size_t>(turning.tier)].name + " budget";
  const std::string now = " (now " + value(turning.now) + ")";
  if (!turning.found)
    return (turning.rises ? "raising " : "lowering ") + (turning.lever == Lever::alpha ? lever : "the " + lever) +
           " to " + value(turning.at) + " would not change it" + now;
  return lever + (turning.rises ? " ≥ " : " ≤ ") + value(turning.at) + now + ": " + describe(snapshot, turning.to);
}

}  // namespace kvantage::inline explain
