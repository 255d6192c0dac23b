#include "ui/session/run_model.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "ui/session/run_projections.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr std::size_t drain_chunk = 128;
constexpr int snapshot_interval_ms = 150;          // tables and planner need no more than this
constexpr int replayed_snapshot_interval_ms = 30;  // a moment that was gone to is shown in the next frame

bool same_info(const SessionInfo& a, const SessionInfo& b) {
  return a.model_name == b.model_name && a.workload_name == b.workload_name && a.run_id == b.run_id &&
         a.contexts == b.contexts && a.questions == b.questions && a.device == b.device &&
         a.parameters == b.parameters && a.model_note == b.model_note;
}

}  // namespace

RunModel::RunModel(Session& session, QObject* parent)
    : QObject(parent), session_(session), projections_(run_projections(*this)) {
  snapshot_age_.start();
  connect(&selection, &Selection::contextChanged, this, [this](const QString& context) {
    if (context.isEmpty())
      sensitivity.unmark();
    else
      sensitivity.set_context(context);
  });
  connect(&sensitivity, &SensitivityModel::contextPicked, &selection, &Selection::choose_context);
  connect(&sensitivity, &SensitivityModel::contextHovered, &selection, &Selection::hover);
  connect(&selection, &Selection::familyChanged, &frontier, &FrontierModel::set_family);
  connect(&frontier, &FrontierModel::familyChanged, this, [this] { selection.choose_family(frontier.family()); });
}

RunModel::~RunModel() = default;

void RunModel::tick(int budget_ms) {
  QElapsedTimer timer;
  timer.start();
  for (const auto& projection : projections_) projection->begin_batch();
  do {
    const std::vector<Event> events = session_.drain(drain_chunk);
    for (const Event& event : events) handle(event);
    if (events.size() < drain_chunk) break;
  } while (timer.elapsed() < budget_ms);
  for (const auto& projection : projections_) projection->end_batch();
  if (std::exchange(worked_, false)) emit workChanged();
  if (std::exchange(served_more_, false)) emit servedChanged();
  look_at_session();
}

void RunModel::look_at_session() {
  const RunState state = session_.state();
  if (!seen_state_ || state != state_) {
    const bool was_loading = !seen_state_ || state_ == RunState::loading;
    seen_state_ = true;
    state_ = state;
    if (was_loading && state != RunState::loading) {
      adopt_settings();
      if (!settings_seen_) frontier.set_committed(served_settings_ = settings_);
      settings_seen_ = true;
    }
    if (!stash_) time_line.state_changed(state, last_event_seconds_);  // a recorded run is played, not paused
    emit stateChanged(state);
  }
  if (SessionInfo info = session_.info(); !same_info(info, info_)) {
    info_ = std::move(info);
    emit infoChanged();
  }
  if (state_ == RunState::loading) {
    // Stored curves are there before costs are timed, and need none. All else of such a snapshot waits.
    if (const auto early = session_.snapshot(); early && !early->contexts.empty()) sensitivity.set_snapshot(early);
    return;
  }
  if (state_ == RunState::failed && !snapshot_) return;  // while loading: no plan can be made without costs
  const int interval = stash_ ? replayed_snapshot_interval_ms : snapshot_interval_ms;
  if (snapshot_ && !look_now_ && snapshot_age_.elapsed() < interval) return;
  look_now_ = false;
  const std::shared_ptr<const Snapshot> snapshot = session_.snapshot();
  if (!snapshot || snapshot == snapshot_ || (snapshot_ && snapshot->version == snapshot_->version)) return;
  const bool first = !snapshot_;
  take_snapshot(snapshot);
  hand_out_snapshot(first);
}

void RunModel::take_snapshot(std::shared_ptr<const Snapshot> snapshot) {
  snapshot_age_.restart();
  const std::size_t known_contexts = snapshot_ ? snapshot_->contexts.size() : 0;
  snapshot_ = std::move(snapshot);
  if (snapshot_->contexts.size() == known_contexts) return;
  full_bytes_.clear();
  std::set<QString> families;
  for (const ContextState& context : snapshot_->contexts) {
    full_bytes_[context.key] = context.full_bytes;
    if (!context.family.empty()) families.insert(to_q(context.family));
  }
  frontier.set_families({families.begin(), families.end()});
}

void RunModel::hand_out_snapshot(bool first) {
  for (const auto& projection : projections_) projection->set_tiers(snapshot_->tiers, first);
  tier_reports.set_reports(session_.tier_reports());
  const SessionGauges gauges = session_.gauges();
  tier_reports.set_model_device(gauges.model_device);
  if (!stash_ && gauges.pool) pool.set_report(gauges.pool, last_event_seconds_);  // a recorded run has it in events
  contexts.set_snapshot(snapshot_);
  sensitivity.set_snapshot(snapshot_);
  // Fits are refined with every load: a scale that follows each of them would crawl under the user's hand.
  const AlphaScale scale = kvantage::alpha_scale(*snapshot_);
  if (std::abs(std::log(scale.middle / alpha_scale_.middle)) > 0.25 || first) {
    alpha_scale_ = scale;
    emit alphaScaleChanged();
  }
  emit snapshotChanged();
}

void RunModel::adopt_settings() {
  settings_ = session_.settings();
  requests.set_quality_metric(settings_.quality_metric);
  contexts.set_quality_metric(settings_.quality_metric);
  sensitivity.set_candidates(settings_.methods);
  emit settingsChanged(settings_);
}

// The session may have accepted newer settings already; the order of events says what requests were served under.
void RunModel::take_setting(const events::SettingChanged& event) {
  if (!settings_seen_) served_settings_ = session_.settings();
  settings_seen_ = true;
  Json settings = to_json(served_settings_);
  settings[event.name] = event.after;
  if (auto taken = session_settings_from_json(settings, "settings")) served_settings_ = std::move(*taken);
}

// A recorded run may have moved on by now: the event says what it began with.
bool RunModel::take_beginning(const events::RunStarted& event) {
  if (!stash_ || !event.settings.is_object() || !event.settings.contains("settings")) return false;
  auto begun = session_settings_from_json(event.settings.at("settings"), "settings");
  if (!begun) return false;
  settings_seen_ = true;
  served_settings_ = std::move(*begun);
  return true;
}

void RunModel::handle(const Event& event) {
  const double seconds = seconds_of(event);
  const bool has_settings = advance(event.payload, seconds);
  const RunMoment moment{seconds, quiet_, has_settings ? &served_settings_ : nullptr, full_bytes_};
  for (const auto& projection : projections_)
    if (!quiet_ || !projection->logs()) projection->apply(event, moment);
  if (!quiet_) announce(event.payload);
}

// Whether requests are served under other settings from this event on.
bool RunModel::advance(const EventPayload& payload, double seconds) {
  if (const auto* begun = std::get_if<events::RunStarted>(&payload)) {
    if (!quiet_) restart_counts();
    return take_beginning(*begun);
  }
  if (const auto* changed = std::get_if<events::SettingChanged>(&payload)) {
    take_setting(*changed);
    return true;
  }
  if (const auto* computed = std::get_if<events::ContextComputed>(&payload)) {
    full_bytes_[computed->context] = computed->bytes;
  } else if (const auto* finished = std::get_if<events::RequestFinished>(&payload)) {
    if (!finished->record.cancelled) count_request(seconds);
  } else if (const auto* progress = std::get_if<events::Progress>(&payload)) {
    report_work(*progress, seconds);
    worked_ = !quiet_;
  }
  return false;
}

// What happens in a recorded run raises no message.
void RunModel::announce(const EventPayload& payload) {
  if (std::holds_alternative<events::RunStarted>(payload)) {
    selection.forget_requests();
    emit runStarted();
    served_more_ = true;
    adopt_settings();
  } else if (const auto* finished = std::get_if<events::RequestFinished>(&payload)) {
    if (finished->record.cancelled) return;
    emit requestServed(finished->record.context);
    served_more_ = true;
  } else if (const auto* plan = std::get_if<events::PlanMade>(&payload)) {
    emit planMade(to_q(plan->policy), plan->mean_quality, plan->mean_ttft_seconds);
  } else if (std::holds_alternative<events::SettingChanged>(payload)) {
    adopt_settings();
  } else if (const auto* message = std::get_if<events::Message>(&payload)) {
    if (message->level != "info" && !stash_) emit messageRaised(to_q(message->level), core_text(message->text));
  }
}

std::size_t RunModel::profiled_contexts() const {
  if (!snapshot_) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(snapshot_->contexts, [](const ContextState& context) {
    return context.profile != nullptr && !context.profile->empty();
  }));
}

std::size_t RunModel::measured_contexts() const {
  if (!snapshot_) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(snapshot_->contexts, [](const ContextState& context) {
    return context.profile != nullptr && !std::ranges::all_of(context.profile->points, &ProfilePoint::pooled);
  }));
}

void set_tier_settings(RunModel& run, const std::vector<TierConfig>& tiers) {
  run.tiers.set_settings(tiers);
  run.hit_rates.roles().set_settings(tiers);
  run.tier_reports.roles().set_settings(tiers);
}

}  // namespace kvantage
