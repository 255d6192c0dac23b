// Everything the window knows about a run. One call per frame drains the session's events and gives each to the
// projections (run_projections.cpp), whose models the views listen to. Knows no widget, so a test can drive it.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <memory>
#include <vector>

#include "core/policy/frontier.h"
#include "core/ports/session.h"
#include "ui/live/contexts/model/contexts_model.h"
#include "ui/live/contexts/model/sensitivity_model.h"
#include "ui/live/frontier/model/frontier_model.h"
#include "ui/live/pool/model/session_pool_model.h"
#include "ui/live/requests/model/events_model.h"
#include "ui/live/requests/model/requests_model.h"
#include "ui/live/tiers/model/hit_rate_model.h"
#include "ui/live/tiers/model/reference_stream.h"
#include "ui/live/tiers/model/tier_reports_model.h"
#include "ui/live/tiers/model/tier_series_model.h"
#include "ui/live/timeline/model/time_line_model.h"
#include "ui/session/run_progress.h"
#include "ui/session/run_projection.h"
#include "ui/session/selection.h"

namespace kvantage {

/// What was read of one session: stashed as a whole while another is shown.
struct RunReading : RunProgress {
  RunState state_ = RunState::loading;
  bool seen_state_ = false, settings_seen_ = false;
  SessionInfo info_;
  std::shared_ptr<const Snapshot> snapshot_;
  SessionSettings settings_;  // the latest that the session accepted
  AlphaScale alpha_scale_;
};

struct RunKeyframe;
struct RunKeyframes;

class RunModel : public QObject, private RunReading {
  Q_OBJECT
 public:
  using Work = RunWork;

  explicit RunModel(Session& session, QObject* parent = nullptr);
  ~RunModel() override;

  /// One frame: drains for at most `budget_ms`, then looks at state and snapshot. The rest stays for the next frame.
  void tick(int budget_ms = 8);

  /// Stashes what the models know and begins with nothing: the session will report something else from now on. What
  /// happens there is shown and raises no message.
  void stash();
  /// Shows what was stashed again; what the session reported meanwhile is forgotten.
  void unstash();
  bool has_stash() const { return stash_ != nullptr; }
  /// While something is stashed: makes the models what they are after the first `count` of `events`, which the
  /// session has reported already. `whole` false: logs hold their newest rows only, which is enough while a hand moves
  /// through time.
  void rebuild(const std::vector<Event>& events, std::size_t count, bool whole);
  /// Of the events that rebuild will be given; from then on it begins at the last one before its moment. Forgotten by
  /// unstash().
  void set_keyframes(std::shared_ptr<const RunKeyframes> keyframes) { keyframes_ = std::move(keyframes); }
  /// Goes through `session`, which stands behind all of its `events`, with models of its own; in any thread.
  static std::shared_ptr<const RunKeyframes> keyframes_of(Session& session, const std::vector<Event>& events);

  Session& session() { return session_; }
  RunState state() const { return state_; }
  const SessionInfo& info() const { return info_; }
  std::shared_ptr<const Snapshot> snapshot() const { return snapshot_; }
  /// Of the live run, also while another is shown in its place; null before the first.
  std::shared_ptr<const Snapshot> live_snapshot() const;
  /// Contexts of the snapshot whose quality curve is known at least in part.
  std::size_t profiled_contexts() const;
  /// The same whose own questions were asked: points may also be pooled from similar contexts.
  std::size_t measured_contexts() const;
  const std::vector<Work>& work() const { return work_; }
  std::uint64_t served() const { return served_; }
  using RunProgress::requests_per_second;
  const AlphaScale& alpha_scale() const { return alpha_scale_; }
  double now_seconds() const { return last_event_seconds_; }

  // What of these follows the events has a row in run_projections.cpp.
  Selection selection;
  RequestsModel requests;
  ContextsModel contexts;
  TierSeriesModel tiers;
  TierReportsModel tier_reports;
  SessionPoolModel pool;
  HitRateModel hit_rates;
  ReferenceStream references;
  SensitivityModel sensitivity;
  FrontierModel frontier;
  EventsModel log;
  TimeLineModel time_line;

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
  /// Another session is shown, or another moment of one: these requests were served, in order.
  void rebuilt(const std::vector<kvantage::Digest128>& served);
  void requestServed(const kvantage::Digest128& context);
  void planMade(const QString& policy, double quality, double ttft_seconds);
  /// level "warning" or "error".
  void messageRaised(const QString& level, const QString& text);

 private:
  struct Stash {
    RunReading reading;
    std::vector<RunProjection::Stashed> projections;
  };
  void handle(const Event& event);
  bool advance(const EventPayload& payload, double seconds);
  void announce(const EventPayload& payload);
  bool take_beginning(const events::RunStarted& event);
  void take_setting(const events::SettingChanged& event);
  void take_snapshot(std::shared_ptr<const Snapshot> snapshot);
  void hand_out_snapshot(bool first);
  void look_at_session();
  void adopt_settings();
  void swap_with_stash();
  std::size_t begin_rebuild(std::size_t count);
  void restore(const RunKeyframe& keyframe);
  RunKeyframe keyframe(std::size_t moment) const;
  std::uint64_t answered_until(const std::vector<Event>& events, std::size_t count) const;
  std::vector<Digest128> served_until(const std::vector<Event>& events, std::size_t count) const;

  Session& session_;
  const std::vector<std::unique_ptr<RunProjection>> projections_;
  QElapsedTimer snapshot_age_;
  bool look_now_ = false;                      // at the snapshot, whatever its age
  bool quiet_ = false;                         // while the models are rebuilt
  bool served_more_ = false, worked_ = false;  // to be signaled at the end of the tick
  std::unique_ptr<Stash> stash_;
  std::shared_ptr<const RunKeyframes> keyframes_;
  RunKeyframes* making_ = nullptr;  // while this goes through a run for them
};

/// What its models show of tiers by what they are: which of them have faults injected, and their colors.
void set_tier_settings(RunModel& run, const std::vector<TierConfig>& tiers);

}  // namespace kvantage

Q_DECLARE_METATYPE(kvantage::RunState)
Q_DECLARE_METATYPE(kvantage::SessionSettings)
