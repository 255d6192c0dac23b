#include "ui/session/run_model.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "ui/session/run_model_stash.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr std::size_t drain_chunk = 128;
constexpr int snapshot_interval_ms = 150;          // tables and planner need no more than this
constexpr int replayed_snapshot_interval_ms = 30;  // a moment that was gone to is shown in the next frame

template <class... Ts>
struct RunOverloaded : Ts... {
  using Ts::operator()...;
};

bool same_info(const SessionInfo& a, const SessionInfo& b) {
  return a.model_name == b.model_name && a.workload_name == b.workload_name && a.run_id == b.run_id &&
         a.contexts == b.contexts && a.questions == b.questions && a.device == b.device &&
         a.parameters == b.parameters && a.model_note == b.model_note;
}

}  // namespace

RunModel::RunModel(Session& session, QObject* parent) : QObject(parent), session_(session) {
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
  requests.begin_batch();
  log.begin_batch();
  do {
    const std::vector<Event> events = session_.drain(drain_chunk);
    for (const Event& event : events) handle(event);
    if (events.size() < drain_chunk) break;
  } while (timer.elapsed() < budget_ms);
  requests.end_batch();
  log.end_batch();
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
    emit stateChanged(state);
  }
  if (SessionInfo info = session_.info(); !same_info(info, info_)) {
    info_ = std::move(info);
    emit infoChanged();
  }
  const int interval = stash_ ? replayed_snapshot_interval_ms : snapshot_interval_ms;
  if (state_ == RunState::loading || (snapshot_ && !look_now_ && snapshot_age_.elapsed() < interval)) return;
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
  if (first) {
    // From nothing, unless its events already reported what it holds.
    for (const TierState& tier : snapshot_->tiers)
      if (const auto* known = tiers.find(tier.name); known == nullptr || known->samples.empty())
        tiers.tier_occupancy(0, {tier.name, 0, TierBudget(tier.budget_bytes).capacity_bytes(), {}});
  }
  tiers.set_tiers(snapshot_->tiers);
  tier_reports.set_reports(session_.tier_reports());
  const SessionGauges gauges = session_.gauges();
  tier_reports.set_model_device(gauges.model_device);
  if (!stash_ && gauges.pool) pool.set_report(gauges.pool, last_event_seconds_);  // a recorded run has it in events
  hit_rates.set_tiers(snapshot_->tiers);
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
  emit settingsChanged(settings_);
}

// The session may have accepted newer settings already; the order of events says what requests were served under.
void RunModel::take_setting(const events::SettingChanged& event) {
  if (!settings_seen_) served_settings_ = session_.settings();
  settings_seen_ = true;
  Json settings = to_json(served_settings_);
  settings[event.name] = event.after;
  if (auto taken = session_settings_from_json(settings, "settings")) served_settings_ = std::move(*taken);
  frontier.set_committed(served_settings_);
}

double RunModel::seconds_of(const Event& event) {
  if (first_monotonic_ns_ < 0) first_monotonic_ns_ = event.monotonic_ns;
  last_event_seconds_ =
      std::max(last_event_seconds_, static_cast<double>(event.monotonic_ns - first_monotonic_ns_) * 1e-9);
  return last_event_seconds_;
}

void RunModel::handle_progress(const events::Progress& progress, double seconds) {
  const QString what = core_text(progress.what);
  auto found = std::find_if(work_.begin(), work_.end(), [&](const Work& work) { return work.what == what; });
  if (found == work_.end()) found = work_.insert(work_.end(), Work{what, 0, 0, seconds, -1});
  if (found->finished() && progress.done < found->done) found->started_seconds = seconds;  // the same work again
  found->done = progress.done;
  found->total = progress.total;
  const double elapsed = seconds - found->started_seconds;
  found->eta_seconds =
      progress.done > 0 && progress.total >= progress.done && elapsed > 0.2
          ? elapsed * static_cast<double>(progress.total - progress.done) / static_cast<double>(progress.done)
          : -1;
  worked_ = !quiet_;
}

double RunModel::requests_per_second() const {
  if (finish_seconds_.size() < 2) return 0;
  const double span = finish_seconds_.back() - finish_seconds_.front();
  return span > 0 ? static_cast<double>(finish_seconds_.size() - 1) / span : 0;
}

void RunModel::handle(const Event& event) {
  const double seconds = seconds_of(event);
  if (!quiet_) log.add(event, seconds);
  std::visit(RunOverloaded{[&](const events::RunStarted& e) {
                             if (!quiet_) restart();
                             frontier.set_run(to_q(e.run_id));
                             // A recorded run may have moved on by now: the event says what it began with.
                             if (stash_ && e.settings.is_object() && e.settings.contains("settings"))
                               if (auto begun = session_settings_from_json(e.settings.at("settings"), "settings")) {
                                 settings_seen_ = true;
                                 frontier.set_committed(served_settings_ = std::move(*begun));
                               }
                             if (quiet_) return;
                             emit runStarted();
                             served_more_ = true;
                             adopt_settings();
                           },
                           [&](const events::RunFinished&) {},
                           [&](const events::RequestStarted& e) { requests.request_started(e); },
                           [&](const events::TokenEmitted& e) { requests.token_emitted(e); },
                           [&](const events::RequestFinished& e) {
                             requests.request_finished(e.record);
                             request_finished(e.record, seconds);
                           },
                           [&](const events::ContextComputed& e) { full_bytes_[e.context] = e.bytes; },
                           [&](const events::ContextProfiled&) {},
                           [&](const events::PlanMade& e) {
                             if (!quiet_) emit planMade(to_q(e.policy), e.mean_quality, e.mean_ttft_seconds);
                           },
                           [&](const events::PlacementCommitted& e) {
                             contexts.placement_committed(e);
                             tiers.placement_committed(seconds, e);
                           },
                           [&](const events::PlacementFailed&) {},
                           [&](const events::ReadFailed&) {},
                           [&](const events::TierOccupancy& e) { tiers.tier_occupancy(seconds, e); },
                           [&](const events::TierFitted& e) { tiers.tier_fitted(e); },
                           [&](const events::TierCounted&) {},
                           [&](const events::SettingChanged& e) {
                             take_setting(e);
                             if (!quiet_) adopt_settings();
                           },
                           [&](const events::Progress& e) { handle_progress(e, seconds); },
                           [&](const events::Message& e) {
                             if (e.level != "info" && !stash_) emit messageRaised(to_q(e.level), core_text(e.text));
                           },
                           [&](const events::DriftDetected&) {},
                           [&](const events::EngineCounted&) {},
                           [&](const events::SnapshotTaken&) {},
                           [&](const events::CostsFitted&) {},
                           [&](const events::CacheCompacted& e) { pool.add_pass(e, seconds); },
                           [&](const events::PoolSampled& e) { pool.set_report(e.pool, seconds); }},
             event.payload);
}

// A run begins: what was counted before belongs to another one. Measured points of the Frontier stay beside its own.
void RunModel::restart() {
  requests.clear();
  selection.choose_request(0, selection.context());
  hit_rates.clear();
  pool.clear_history();
  contexts.clear_measurements();
  frontier.begin_run();
  finish_seconds_.clear();
  served_ = 0;
}

void RunModel::request_finished(const RequestRecord& record, double seconds) {
  if (record.cancelled) return;
  contexts.request_finished(record);
  tiers.request_finished(record);
  const auto full = full_bytes_.find(record.context);
  hit_rates.request_finished(record, full == full_bytes_.end() ? record.bytes_loaded : full->second, seconds);
  frontier.add_request(record);
  finish_seconds_.push_back(seconds);
  if (finish_seconds_.size() > 50) finish_seconds_.erase(finish_seconds_.begin());
  ++served_;
  if (quiet_) return;
  emit requestServed(record.context);
  served_more_ = true;
}

std::size_t RunModel::profiled_contexts() const {
  if (!snapshot_) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(snapshot_->contexts, [](const ContextState& context) {
    return context.profile != nullptr && !context.profile->empty();
  }));
}

void set_tier_settings(RunModel& run, const std::vector<TierConfig>& tiers) {
  run.tiers.set_settings(tiers);
  run.hit_rates.roles().set_settings(tiers);
  run.tier_reports.roles().set_settings(tiers);
}

}  // namespace kvantage
