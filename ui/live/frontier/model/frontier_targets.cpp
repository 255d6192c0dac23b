#include "ui/live/frontier/model/frontier_targets.h"

#include <algorithm>
#include <utility>

#include "core/policy/frontier.h"
#include "core/policy/policy.h"
#include "ui/live/frontier/model/frontier_request.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

/// "α 0.120, dram 24.0 MiB, ssd 180.0 MiB, cost 0.310; predicted quality 0.860, mean TTFT 41.0 ms (…)"
QString target_plan_text(const TargetPlan& plan, const std::vector<std::string>& tiers) {
  QStringList budgets;
  for (std::size_t t = 0; t < plan.budgets.size() && t < tiers.size(); ++t)
    budgets << QStringLiteral("%1 %2").arg(to_q(tiers[t]), budget_text(TierBudget(plan.budgets[t])));
  return FrontierTargets::tr("α %1, %2, cost %3; predicted quality %4, mean TTFT %5 (p95 over requests %6)")
      .arg(number_text(plan.alpha), budgets.join(QStringLiteral(", ")), number_text(plan.cost),
           quality_text(plan.quality), seconds_text(plan.ttft_seconds), seconds_text(plan.ttft_p95_seconds));
}

}  // namespace

QString target_text(const PlanTarget& target) {
  const QString quality =
      target.quality ? FrontierTargets::tr("quality ≥ %1").arg(quality_text(*target.quality)) : QString();
  QString ttft;
  if (target.ttft_seconds)
    ttft = (target.ttft_of == TargetTtft::p95 ? FrontierTargets::tr("TTFT p95 ≤ %1")
                                              : FrontierTargets::tr("mean TTFT ≤ %1"))
               .arg(seconds_text(*target.ttft_seconds));
  return quality.isEmpty() || ttft.isEmpty() ? quality + ttft : FrontierTargets::tr("%1 and %2").arg(quality, ttft);
}

QString target_answer_text(const PlanTarget& target, const TargetAnswer& answer,
                           const std::vector<std::string>& tiers) {
  const QString wanted = target_text(target), tried = QString::number(answer.tried);
  if (answer.plan)
    return FrontierTargets::tr("Cheapest plan that meets %1: %2; plans tried: %3")
        .arg(wanted, target_plan_text(*answer.plan, tiers), tried);
  if (!answer.nearest) return FrontierTargets::tr("No plan meets %1; plans tried: %2").arg(wanted, tried);
  const QString none =
      answer.complete
          ? FrontierTargets::tr("No plan meets %1; plans tried: %2. Nearest: %3")
          : FrontierTargets::tr("No plan found that meets %1; search limit reached, plans tried: %2. Nearest: %3");
  return none.arg(wanted, tried, target_plan_text(*answer.nearest, tiers));
}

FrontierTargets::FrontierTargets(RunModel& run, SettingsController& settings, TierPrices& prices, QObject* parent)
    : QObject(parent), run_(run), settings_(settings), prices_(prices) {
  timer_.setSingleShot(true);
  connect(&timer_, &QTimer::timeout, this, &FrontierTargets::search);
  const auto soon = [this] {
    if (active_ && target_.any()) timer_.start(hand_interval_ms);
  };
  connect(&settings_, &SettingsController::shownChanged, this, [this, soon](const SessionSettings& shown) {
    if (!same_curve(shown, asked_)) soon();
  });
  connect(&prices_, &TierPrices::changed, this, soon);
  connect(&run_.frontier, &FrontierModel::familyChanged, this, soon);
  const auto later = [this] {
    if (active_ && target_.any() && !timer_.isActive() && !job_.busy())
      timer_.start(state_ == State::ready ? background_interval_ms : 0);
  };
  connect(&run_, &RunModel::snapshotChanged, this, later);
  connect(&run_, &RunModel::alphaScaleChanged, this, later);
}

void FrontierTargets::set_active(bool active) {
  if (active == active_) return;
  active_ = active;
  if (active_ && target_.any())
    timer_.start(0);
  else
    forget();
  emit targetChanged();
}

void FrontierTargets::set_target(const PlanTarget& target) {
  PlanTarget limited = target;
  if (limited.quality) limited.quality = std::clamp(*limited.quality, 0.0, 1.0);
  if (limited.ttft_seconds && !(*limited.ttft_seconds > 0)) limited.ttft_seconds.reset();
  if (limited == target_) return;
  target_ = limited;
  if (!active_ || !target_.any()) {
    forget();
  } else {
    ++number_;
    job_.cancel();
    answer_.reset();
    set_state(State::searching);
    timer_.start(hand_interval_ms);
  }
  emit targetChanged();
}

void FrontierTargets::forget() {
  timer_.stop();
  ++number_;
  job_.cancel();
  answer_.reset();
  set_state(State::no_target);
}

void FrontierTargets::set_state(State state) {
  state_ = state;
  emit answerChanged();
}

void FrontierTargets::search() {
  if (!active_ || !target_.any()) return;
  const std::uint64_t number = ++number_;
  job_.cancel();
  // An answer about another curve is none.
  const QString family = run_.frontier.family();
  if (!same_curve(settings_.shown(), asked_) || family != asked_family_) answer_.reset();
  asked_ = settings_.shown();
  asked_family_ = family;
  const auto policy = make_policy(asked_.policy);
  const std::shared_ptr<const Snapshot> snapshot = run_.snapshot();
  if (!policy || !(*policy)->uses_alpha() || !snapshot || run_.profiled_contexts() == 0) {
    answer_.reset();
    return set_state(policy && !(*policy)->uses_alpha() ? State::no_alpha : State::no_profile);
  }
  std::vector<TierConfig> priced;  // in the order of the snapshot's tiers
  priced.reserve(snapshot->tiers.size());
  tiers_.clear();
  for (const TierState& tier : snapshot->tiers) {
    tiers_.push_back(tier.name);
    const auto known = std::ranges::find(asked_.tiers, tier.name, &TierConfig::name);
    priced.push_back(known != asked_.tiers.end() ? *known : TierConfig{.name = tier.name});
  }
  if (!answer_) set_state(State::searching);
  TargetQuestion question;  // its snapshot is made on the thread
  question.family = from_q(run_.frontier.family());
  question.target = target_;
  question.alphas = run_.alpha_scale().grid(alphas);
  question.prices = prices_.prices(priced);
  job_.start([this, number, snapshot, plans = *policy, question = std::move(question), shown = asked_,
              committed = settings_.committed()](const LatestJob::GivenUp& given_up) {
    TargetQuestion asked = question;
    asked.snapshot = expected_demand(snapshot_under(*snapshot, shown, committed));
    const TargetAnswer answer = solve_target(std::move(asked), *plans, given_up);
    if (given_up()) return;
    QMetaObject::invokeMethod(
        this, [this, number, answer] { take(number, answer); }, Qt::QueuedConnection);
  });
}

void FrontierTargets::take(std::uint64_t number, const TargetAnswer& answer) {
  if (number != number_) return;
  answer_ = answer;
  set_state(State::ready);
}

std::optional<FrontierMean> FrontierTargets::solution() const {
  if (!answer_ || !answer_->plan) return std::nullopt;
  return FrontierMean{answer_->plan->quality, answer_->plan->ttft_seconds};
}

QString FrontierTargets::text() const {
  const QString target = target_text(target_);
  switch (state_) {
    case State::no_target:
      return {};
    case State::no_profile:
      return tr("No profile yet, so no prediction. Start the run.");
    case State::no_alpha:
      return tr("α has no effect on %1. Select evicpress in Controls.").arg(to_q(asked_.policy));
    case State::searching:
      return tr("Searching for the cheapest plan that meets %1…").arg(target);
    case State::ready:
      break;
  }
  return target_answer_text(target_, *answer_, tiers_);
}

bool FrontierTargets::use() {
  if (!answer_ || !answer_->plan) return false;
  if (!same_curve(settings_.shown(), asked_) || run_.frontier.family() != asked_family_) return false;
  const TargetPlan& plan = *answer_->plan;
  SessionSettings changed = settings_.committed();
  changed.policy = asked_.policy;
  changed.alpha = plan.alpha;
  for (TierConfig& tier : changed.tiers) {
    const auto at = static_cast<std::size_t>(std::ranges::find(tiers_, tier.name) - tiers_.begin());
    if (at < plan.budgets.size() && at < tiers_.size() && !tier.budget.is_unlimited()) tier.budget = plan.budgets[at];
  }
  return settings_.commit(changed, tr("cheapest plan: %1").arg(target_text(target_)), QString());
}

}  // namespace kvantage
