#include "ui/live/decisions/model/counterfactual_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/policy/plan_text.h"
#include "ui/live/decisions/model/decision_headline.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr int max_displaced_names = 3;

QString win_text(const Snapshot& snapshot, const Turning& win) {
  const auto number = [](double value) { return to_q(short_number(value)); };
  const auto value_text = [&](double value) {
    constexpr double no_limit = 9e18;  // bytes
    if (win.lever != Lever::budget) return number(value);
    return value < no_limit ? bytes_text(value) : CounterfactualModel::tr("unlimited");
  };
  const QString at = value_text(win.at), now = value_text(win.now);
  switch (win.lever) {
    case Lever::alpha:
      return win.rises ? CounterfactualModel::tr("It is chosen at α ≥ %1 s (now %2 s).").arg(at, now)
                       : CounterfactualModel::tr("It is chosen at α ≤ %1 s (now %2 s).").arg(at, now);
    case Lever::budget:
      return (win.rises ? CounterfactualModel::tr("It is chosen with a %1 budget ≥ %2 (now %3).")
                        : CounterfactualModel::tr("It is chosen with a %1 budget ≤ %2 (now %3)."))
          .arg(tier_text(snapshot, win.tier), at, now);
    case Lever::frequency:
      break;
  }
  return win.rises ? CounterfactualModel::tr("It is chosen at a request frequency ≥ %1 (now %2).").arg(at, now)
                   : CounterfactualModel::tr("It is chosen at a request frequency ≤ %1 (now %2).").arg(at, now);
}

bool plans_alike(const Snapshot& a, const Snapshot& b) {
  return a.alpha == b.alpha && a.candidates == b.candidates &&
         std::ranges::equal(a.contexts, b.contexts, {}, &ContextState::key, &ContextState::key) &&
         std::ranges::equal(a.tiers, b.tiers, {}, &TierState::budget_bytes, &TierState::budget_bytes);
}

}  // namespace

CounterfactualModel::CounterfactualModel(const DecisionModel& decision, QObject* parent)
    : QObject(parent), decision_(decision) {
  connect(&decision_, &DecisionModel::changed, this, &CounterfactualModel::follow);
}

void CounterfactualModel::ask(const QString& id) {
  const auto& splits = decision_.splits();
  const auto found = std::ranges::find_if(
      splits, [&](const UtilitySplit& split) { return configuration_id(split.alternative.configuration) == id; });
  if (found == splits.end()) return clear();
  id_ = id;
  context_ = decision_.context();
  split_ = *found;
  search();
}

void CounterfactualModel::clear() {
  job_.cancel();
  ++number_;
  if (id_.isEmpty()) return;
  id_.clear();
  split_.reset();
  searched_.reset();
  wins_.clear();
  state_ = State::none;
  emit changed();
}

void CounterfactualModel::set_active(bool active) {
  if (active == active_) return;
  active_ = active;
  if (!active_) job_.cancel();
  if (active_ && state_ == State::searching) search();
}

// While requests are served, what was found stays: only other settings, or another choice, are another question.
void CounterfactualModel::follow() {
  if (id_.isEmpty()) return;
  if (!decision_.decision() || decision_.context() != context_) return clear();
  const bool was_chosen = split_->alternative.chosen;
  for (const UtilitySplit& split : decision_.splits())
    if (configuration_id(split.alternative.configuration) == id_) split_ = split;
  if (was_chosen != split_->alternative.chosen || is_outdated()) return search();
  emit changed();
}

bool CounterfactualModel::is_outdated() const {
  return searched_ != decision_.planned() &&
         (policy_ != decision_.policy() || !searched_ || !plans_alike(*searched_, *decision_.planned()));
}

void CounterfactualModel::search() {
  job_.cancel();
  const std::uint64_t number = ++number_;
  searched_ = decision_.planned();
  policy_ = decision_.policy();
  wins_.clear();
  auto policy = make_policy(policy_);
  const bool searches = searched_ && policy && weighs_utility(**policy) && !split_->alternative.chosen;
  state_ = searches ? State::searching : State::complete;
  if (searches && active_)
    job_.start([this, number, snapshot = searched_, plans = *policy, index = decision_.decision()->context,
                wanted = split_->alternative.configuration](const LatestJob::GivenUp& given_up) {
      std::vector<Turning> wins;
      const auto post = [&](bool complete) {
        QMetaObject::invokeMethod(
            this, [this, number, wins, complete] { take(number, wins, complete); }, Qt::QueuedConnection);
      };
      find_wins(*snapshot, *plans, index, wanted, given_up, [&](const Turning& win) {
        wins.push_back(win);
        post(false);
      });
      if (!given_up()) post(true);
    });
  emit changed();
}

void CounterfactualModel::take(std::uint64_t number, std::vector<Turning> wins, bool complete) {
  if (number != number_) return;
  wins_ = std::move(wins);
  if (complete) state_ = State::complete;
  emit changed();
}

QString CounterfactualModel::title() const {
  return split_ && searched_ ? tr("%1: what would have to change")
                                   .arg(configuration_name(*searched_, split_->alternative.configuration))
                             : QString();
}

// What the others lose, which a planner weighs against what this one gains.
QString CounterfactualModel::displaced_text() const {
  QStringList names;
  for (const Instead::Moved& moved : split_->moved)
    if (moved.utility_change < 0) names << to_q(searched_->contexts[moved.context].id);
  if (names.isEmpty()) return tr("It would displace no other context.");
  const auto more = static_cast<int>(names.size()) - max_displaced_names;
  QString listed = names.mid(0, max_displaced_names).join(QStringLiteral(", "));
  if (more > 0) listed = tr("%1 and %n more", nullptr, more).arg(listed);
  return (split_->formula_term ? tr("It would displace %1: others change by %2 of the formula's value.")
                               : tr("It would displace %1: others change by %2 s of utility."))
      .arg(listed, signed_text(*split_->displacement_term));
}

// Exact, without planning: the alpha at which it and the choice are worth the same.
QString CounterfactualModel::alone_text() const {
  const Alternative &choice = decision_.decision()->choice(), &other = split_->alternative;
  const double gain = other.utility - choice.utility;
  if (split_->formula_term)  // at which alpha that changes is found by planning alone
    return (gain > 0 ? tr("Ignoring other contexts, it is better: %1 more by the formula.")
                     : tr("Ignoring other contexts, it is no better: %1 less by the formula."))
        .arg(to_q(short_number(std::fabs(gain))));
  if (gain > 0) return tr("Ignoring other contexts, it is better: %1 s more utility.").arg(to_q(short_number(gain)));
  const auto alpha = equal_utility_alpha(choice, other);
  const QString less = to_q(short_number(-gain));
  if (!alpha) return tr("Ignoring other contexts, it is no better at any α: %1 s less utility.").arg(less);
  return (other.quality > choice.quality
              ? tr("Ignoring other contexts, it is better at α > %1 s (now %2 s); it has %3 s less utility.")
              : tr("Ignoring other contexts, it is better at α < %1 s (now %2 s); it has %3 s less utility."))
      .arg(to_q(short_number(*alpha)), to_q(short_number(decision_.decision()->alpha)), less);
}

QStringList CounterfactualModel::sentences() const {
  if (!split_ || !searched_ || !decision_.decision()) return {};
  if (split_->alternative.chosen) return {tr("This is the plan's choice. The list below says what would change it.")};
  QStringList all{alone_text()};
  if (split_->too_large) {
    const int tier = split_->alternative.configuration.tier;
    all << tr("Its entry, %1, is larger than the budget of %2, %3.")
               .arg(bytes_text(static_cast<double>(split_->alternative.bytes)), tier_text(*searched_, tier),
                    bytes_text(static_cast<double>(searched_->tiers[static_cast<std::size_t>(tier)].budget_bytes)));
  } else if (split_->displacement_term) {
    all << displaced_text();
  }
  if (!decision_.decision()->weighs_utility) return all << tr("Its policy does not weigh utility.");
  for (const Turning& win : wins_) all << win_text(*searched_, win);
  if (state_ == State::searching)
    all << tr("Searching by planning again…");
  else if (wins_.empty())
    all << tr("No change of α, of one budget or of its request frequency alone makes the policy choose it.");
  return all;
}

}  // namespace kvantage
