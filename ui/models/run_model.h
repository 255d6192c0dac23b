// Everything the window knows about a run. One call per frame drains the session's events and hands each to the models
// that care; the views listen to the models. Knows no widget, so a test can drive it.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/policy/frontier.h"
#include "core/ports/session.h"
#include "ui/models/contexts_model.h"
#include "ui/models/events_model.h"
#include "ui/models/frontier_model.h"
#include "ui/models/hit_rate_model.h"
#include "ui/models/requests_model.h"
#include "ui/models/sensitivity_model.h"
#include "ui/models/tier_reports_model.h"
#include "ui/models/tier_series_model.h"

namespace kvantage {

class RunModel : public QObject {
  Q_OBJECT
 public:
  /// One piece of long work; total 0 = length unknown.
  struct Work {
    QString what;
    std::uint64_t done = 0, total = 0;
    double started_seconds = 0, eta_seconds = -1;
    bool finished() const { return total > 0 && done >= total; }
  };

  explicit RunModel(Session& session, QObject* parent = nullptr);

  /// One frame: drains for at most `budget_ms`, then looks at state and snapshot. The rest stays for the next frame.
  void tick(int budget_ms = 12);

  Session& session() { return session_; }
  RunState state() const { return state_; }
  const SessionInfo& info() const { return info_; }
  std::shared_ptr<const Snapshot> snapshot() const { return snapshot_; }
  /// Contexts of the snapshot whose quality curve is known at least in part.
  std::size_t profiled_contexts() const;
  const std::vector<Work>& work() const { return work_; }
  std::uint64_t served() const { return served_; }
  double requests_per_second() const;
  const AlphaScale& alpha_scale() const { return alpha_scale_; }
  double now_seconds() const { return last_event_seconds_; }

  RequestsModel requests;
  ContextsModel contexts;
  TierSeriesModel tiers;
  TierReportsModel tier_reports;
  HitRateModel hit_rates;
  SensitivityModel sensitivity;
  FrontierModel frontier;
  EventsModel log;

 signals:
  void stateChanged(kvantage::RunState state);
  void infoChanged();
  /// The engine's settings changed (by anybody).
  void settingsChanged(const kvantage::SessionSettings& settings);
  void snapshotChanged();
  void alphaScaleChanged();
  void workChanged();
  void servedChanged();
  void runStarted();
  void requestServed(const kvantage::Digest128& context);
  void planMade(const QString& policy, double quality, double ttft_seconds);
  /// level "warning" or "error".
  void messageRaised(const QString& level, const QString& text);

 private:
  void handle(const Event& event);
  void handle_progress(const events::Progress& progress, double seconds);
  void look_at_session();
  double seconds_of(const Event& event);
  void adopt_settings();
  void take_setting(const events::SettingChanged& event);

  Session& session_;
  RunState state_ = RunState::loading;
  bool seen_state_ = false, settings_seen_ = false;
  SessionInfo info_;
  std::shared_ptr<const Snapshot> snapshot_;
  std::unordered_map<Digest128, std::uint64_t> full_bytes_;
  SessionSettings settings_;  // the latest that the session accepted
  SessionSettings served_settings_;  // those that the requests drained so far were served under
  AlphaScale alpha_scale_;
  std::vector<Work> work_;
  std::vector<double> finish_seconds_;  // of the latest requests, for the rate
  std::uint64_t served_ = 0;
  std::int64_t first_monotonic_ns_ = -1;
  double last_event_seconds_ = 0;
  QElapsedTimer snapshot_age_;
};

}  // namespace kvantage

Q_DECLARE_METATYPE(kvantage::RunState)
Q_DECLARE_METATYPE(kvantage::SessionSettings)
