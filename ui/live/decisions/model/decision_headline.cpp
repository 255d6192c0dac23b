#include "ui/live/decisions/model/decision_headline.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "core/policy/plan_text.h"
#include "core/policy/utility.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

struct DecisionHeadline {
  Q_DECLARE_TR_FUNCTIONS(DecisionHeadline)
};

/// As it follows "is": "in ssd as keydiff 50 %".
QString headline_place(const Snapshot& snapshot, const Configuration& c) {
  if (!c.stored()) return DecisionHeadline::tr("not stored");
  const QString tier = tier_text(snapshot, c.tier);
  if (c.method == "none" || c.method.empty()) return DecisionHeadline::tr("uncompressed in %1").arg(tier);
  return DecisionHeadline::tr("in %1 as %2").arg(tier, configuration_short(c.method, c.removed_fraction));
}

/// As headline_reason() below, in the unit of the policy's formula.
QString headline_by_formula(const Snapshot& snapshot, const Instead& instead, const Alternative& other) {
  const auto number = [](double value) { return to_q(short_number(std::fabs(value))); };
  if (instead.own_change < 0)
    return DecisionHeadline::tr("no configuration is better for it by the formula; the runner-up, %1, has %2 less")
        .arg(configuration_name(snapshot, other.configuration), number(instead.own_change));
  const QString place = headline_place(snapshot, other.configuration), gain = number(instead.own_change);
  if (instead.too_large)
    return DecisionHeadline::tr("%1 it would gain %2 by the formula, but its entry is larger than the budget of %3")
        .arg(place, gain, tier_text(snapshot, other.configuration.tier));
  const double net = instead.own_change + instead.others_change;
  if (net > 1e-9 * (1 + instead.own_change))
    return DecisionHeadline::tr(
               "%1 it would gain %2 by the formula, %3 with its effect on others; the policy decides step by step and "
               "misses it")
        .arg(place, gain, number(net));
  return DecisionHeadline::tr("%1 it would gain %2 by the formula, but displace others, which costs %3")
      .arg(place, gain, number(instead.others_change));
}

QString headline_number(double value) { return to_q(short_number(std::fabs(value))); }

/// Why the alternative that is better for the context alone is not its place.
QString headline_cost(const Snapshot& snapshot, const Instead& instead, const Alternative& other) {
  const QString place = headline_place(snapshot, other.configuration), gain = headline_number(instead.own_change);
  if (instead.too_large)
    return DecisionHeadline::tr("%1 it would gain %2 s of utility, but its entry is larger than the budget of %3")
        .arg(place, gain, tier_text(snapshot, other.configuration.tier));
  const double net = instead.own_change + instead.others_change;
  const auto displaced =
      std::ranges::count_if(instead.moved, [](const Instead::Moved& moved) { return moved.utility_change < 0; });
  if (displaced == 0 || net > 1e-9 * (1 + instead.own_change))
    return DecisionHeadline::tr(
               "%1 it would gain %2 s of utility, %3 s with its effect on others; the policy decides "
               "step by step and misses it")
        .arg(place, gain, headline_number(net));
  // The greatest loss is first.
  const QString first = to_q(snapshot.contexts[instead.moved.front().context].id),
                cost = headline_number(instead.others_change);
  if (displaced == 1)
    return DecisionHeadline::tr("%1 it would gain %2 s of utility, but displace %3, which costs %4 s")
        .arg(place, gain, first, cost);
  return DecisionHeadline::tr(
             "%1 it would gain %2 s of utility, but displace %3 and %n other context(s), which costs "
             "%4 s",
             nullptr, static_cast<int>(displaced - 1))
      .arg(place, gain, first, cost);
}

QString headline_reason(const Snapshot& snapshot, const Decision& decision) {
  if (!decision.weighs_utility) return DecisionHeadline::tr("its policy reacts to events and does not weigh utility");
  if (!(decision.frequency > 0)) return DecisionHeadline::tr("it has not been requested yet");
  if (!decision.instead) return DecisionHeadline::tr("there is no other configuration");
  const Instead& instead = *decision.instead;
  const Alternative& other = decision.alternatives[instead.alternative];
  if (decision.formula && instead.own_change != 0) return headline_by_formula(snapshot, instead, other);
  if (instead.own_change > 0) return headline_cost(snapshot, instead, other);
  const QString name = configuration_name(snapshot, other.configuration);
  if (instead.own_change == 0)
    return DecisionHeadline::tr("no configuration is better for it; the runner-up, %1, has the same utility").arg(name);
  return DecisionHeadline::tr("no configuration is better for it; the runner-up, %1, has %2 s less utility")
      .arg(name, headline_number(instead.own_change));
}

}  // namespace

QString configuration_name(const Snapshot& snapshot, const Configuration& configuration) {
  const QString tier = tier_text(snapshot, configuration.tier);
  if (!configuration.stored()) return tier;
  return QStringLiteral("%1, %2").arg(tier, configuration_short(configuration.method, configuration.removed_fraction));
}

QString configuration_id(const Configuration& configuration) {
  if (!configuration.stored()) return QStringLiteral("-");
  return QStringLiteral("%1|%2|%3")
      .arg(QString::number(configuration.tier), to_q(configuration.method),
           QString::number(configuration.removed_fraction, 'g', 9));
}

QString decision_headline(const Snapshot& snapshot, const Decision& decision) {
  const Configuration& choice = decision.choice().configuration;
  const QString id = to_q(snapshot.contexts[decision.context].id), place = headline_place(snapshot, choice),
                reason = headline_reason(snapshot, decision);
  return same_configuration(decision.placed, choice)
             ? DecisionHeadline::tr("%1 is %2: %3.").arg(id, place, reason)
             : DecisionHeadline::tr("%1 is planned to be %2: %3.").arg(id, place, reason);
}

QString signed_text(double value) {
  const QString number = to_q(short_number(std::fabs(value)));
  return value > 0 ? QStringLiteral("+") + number : value < 0 ? QStringLiteral("−") + number : number;
}

}  // namespace kvantage
