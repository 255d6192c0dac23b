// The targets of the Frontier: a quality to reach and a TTFT to keep, its mean or its p95 over requests by the
// predicted TTFT of their contexts; and the cheapest plan that meets them. Solved on a thread of its own, and given up
// when a target or a setting moves.
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/policy/explain/target_search.h"
#include "ui/live/frontier/model/frontier_types.h"
#include "ui/live/frontier/model/tier_prices.h"
#include "ui/session/latest_job.h"
#include "ui/session/run_model.h"
#include "ui/session/settings_controller.h"

namespace kvantage {

class FrontierTargets : public QObject {
  Q_OBJECT
 public:
  /// no_target: neither is set, or nobody looks. no_alpha: alpha has no effect on the policy. no_profile: everything
  /// would be a guess.
  enum class State { no_target, no_profile, no_alpha, searching, ready };
  /// Pauses before a search: after a move of the user, and after a newer state of the engine.
  static constexpr int hand_interval_ms = 150, background_interval_ms = 5000;
  static constexpr std::size_t alphas = 24;

  FrontierTargets(RunModel& run, SettingsController& settings, TierPrices& prices, QObject* parent = nullptr);

  /// Nobody looks: nothing is searched, and the chart has no lines. The targets stay.
  void set_active(bool active);
  bool active() const { return active_; }
  /// The quality is limited to 0 .. 1; a TTFT that is not above 0 is none.
  void set_target(const PlanTarget& target);
  const PlanTarget& target() const { return target_; }

  State state() const { return state_; }
  /// Of the present target; nothing while it is searched for the first time.
  const std::optional<TargetAnswer>& answer() const { return answer_; }
  /// What the cheapest plan predicts, for the chart.
  std::optional<FrontierMean> solution() const;
  /// "Cheapest plan that meets quality ≥ 0.850: …", or why there is none; empty: nothing to say.
  QString text() const;
  /// Commits alpha and budgets of the cheapest plan, as one undo step; false: there is none, or it was refused.
  bool use();

 signals:
  /// The target, or whether anybody looks.
  void targetChanged();
  /// State or answer.
  void answerChanged();

 private:
  void search();
  void take(std::uint64_t number, const TargetAnswer& answer);
  void set_state(State state);
  void forget();

  RunModel& run_;
  SettingsController& settings_;
  TierPrices& prices_;
  PlanTarget target_;
  bool active_ = false;
  State state_ = State::no_target;
  SessionSettings asked_;  // what the answer, or the search for it, is about
  QString asked_family_;
  std::vector<std::string> tiers_;  // of the snapshot that was searched, in the order of the plan's budgets
  std::optional<TargetAnswer> answer_;
  std::uint64_t number_ = 0;
  QTimer timer_;
  LatestJob job_{ThreadPriority::forecasts};  // last: its thread ends before anything that it posts to
};

/// "quality ≥ 0.850 and mean TTFT ≤ 40.0 ms", "TTFT p95 ≤ 80.0 ms"; empty: no target.
QString target_text(const PlanTarget& target);
/// The cheapest plan, or that there is none; of a search that ended early only that none was found. `tiers`: names, in
/// the order of the answer's budgets.
QString target_answer_text(const PlanTarget& target, const TargetAnswer& answer, const std::vector<std::string>& tiers);

}  // namespace kvantage
