// Showing another session in place of the live one, and any moment of a recorded one.
#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "ui/session/run_keyframes.h"
#include "ui/session/run_model.h"
#include "ui/session/run_model_stash.h"

namespace kvantage {
namespace {

constexpr std::size_t rows_while_moving = 300;  // more than a table shows
constexpr std::size_t logged_rows = 5'000, request_rows = 20'000;

// The first event such that `wanted` events behind it, up to `count`, are of the kind.
template <class MarkKind>
std::size_t newest(const std::vector<Event>& events, std::size_t count, std::size_t wanted, MarkKind kind) {
  std::size_t at = count;
  while (at > 0 && wanted > 0)
    if (kind(events[--at].payload)) --wanted;
  return at;
}

}  // namespace

void RunModel::swap_with_stash() {
  std::swap(static_cast<RunReading&>(*this), stash_->reading);
  requests.swap_content(stash_->requests);
  contexts.swap_history(stash_->contexts);
  tiers.swap_content(stash_->tiers);
  pool.swap_content(stash_->pool);
  hit_rates.swap_content(stash_->hit_rates);
  frontier.swap_content(stash_->frontier);
  log.swap_content(stash_->log);
  selection.choose_request(0, selection.context());
}

std::shared_ptr<const Snapshot> RunModel::live_snapshot() const {
  return stash_ ? stash_->reading.snapshot_ : snapshot_;
}

void RunModel::stash() {
  if (stash_) return;
  stash_ = std::make_unique<Stash>();
  swap_with_stash();
  look_now_ = true;
}

void RunModel::unstash() {
  if (!stash_) return;
  swap_with_stash();
  stash_.reset();
  keyframes_.reset();
  look_now_ = true;
  adopt_settings();
  if (snapshot_) hand_out_snapshot(false);
  std::vector<Digest128> served;
  for (int i = 0; i < requests.rowCount(); ++i)
    if (const auto* row = requests.row(i); !row->running && !row->record.cancelled)
      served.push_back(row->record.context);
  emit rebuilt(served);
  emit stateChanged(state_);
  emit infoChanged();
  emit alphaScaleChanged();
  emit workChanged();
  emit servedChanged();
}

// Only what is still running has an answer that grows token by token; the others bring theirs when they finish.
void RunModel::rebuild_requests(const std::vector<Event>& events, std::size_t count, bool whole) {
  const auto starts = [](const EventPayload& payload) {
    return std::holds_alternative<events::RequestStarted>(payload);
  };
  const std::size_t first = newest(events, count, whole ? request_rows : rows_while_moving, starts);
  std::unordered_set<std::uint64_t> finished;
  for (std::size_t i = first; i < count; ++i)
    if (const auto* done = std::get_if<events::RequestFinished>(&events[i].payload)) finished.insert(done->record.id);
  std::uint64_t before = keyframes_ ? keyframes_->served_until(first) : 0;
  for (std::size_t i = 0; i < first && !keyframes_; ++i)
    if (const auto* done = std::get_if<events::RequestFinished>(&events[i].payload)) before += !done->record.cancelled;
  requests.begin_fill(before);
  for (std::size_t i = first; i < count; ++i) {
    if (const auto* done = std::get_if<events::RequestFinished>(&events[i].payload))
      requests.request_finished(done->record);
    else if (const auto* started = std::get_if<events::RequestStarted>(&events[i].payload);
             started && !finished.contains(started->id))
      requests.request_started(*started);
    else if (const auto* token = std::get_if<events::TokenEmitted>(&events[i].payload);
             token && !finished.contains(token->request))
      requests.token_emitted(*token);
  }
  requests.end_fill();
}

void RunModel::rebuild_log(const std::vector<Event>& events, std::size_t count, bool whole) {
  log.begin_fill();
  for (std::size_t i = newest(events, count, whole ? logged_rows : rows_while_moving, EventsModel::shows); i < count;
       ++i)
    log.add(events[i], static_cast<double>(events[i].monotonic_ns - events.front().monotonic_ns) * 1e-9);
  log.end_fill();
}

RunKeyframe RunModel::keyframe(std::size_t moment) const {
  return {
      moment, *this, contexts.history(), tiers.content(), pool.content(), hit_rates.content(), frontier.measurements()};
}

void RunModel::restore(const RunKeyframe& keyframe) {
  static_cast<RunProgress&>(*this) = keyframe.progress;
  contexts.set_history(keyframe.contexts);
  tiers.set_content(keyframe.tiers);
  pool.set_content(keyframe.pool);
  hit_rates.set_content(keyframe.hit_rates);
  frontier.set_measurements(keyframe.frontier);
}

// The first event that is still to be applied.
std::size_t RunModel::begin_rebuild(std::size_t count) {
  settings_ = session_.settings();
  settings_seen_ = true;
  set_tier_settings(*this, settings_.tiers);
  contexts.set_quality_metric(settings_.quality_metric);
  selection.choose_request(0, selection.context());
  take_snapshot(session_.snapshot());
  if (const RunKeyframe* nearest = keyframes_ ? keyframes_->last_before(count) : nullptr) {
    restore(*nearest);
    return nearest->moment;
  }
  work_.clear();
  finish_seconds_.clear();
  served_ = 0;
  first_monotonic_ns_ = -1;
  last_event_seconds_ = 0;
  served_settings_ = settings_;
  tiers.set_content({});
  pool.set_content({});
  for (const TierState& tier : snapshot_->tiers)
    tiers.tier_occupancy(0,
                         {tier.name, 0, TierBudget(tier.budget_bytes).capacity_bytes(), {}});  // as a live run begins
  tiers.set_tiers(snapshot_->tiers);
  hit_rates.clear();
  hit_rates.set_tiers(snapshot_->tiers);
  contexts.clear_history();
  frontier.forget_measured();
  return 0;
}

void RunModel::rebuild(const std::vector<Event>& events, std::size_t count, bool whole) {
  if (!stash_) return;
  count = std::min(count, events.size());
  quiet_ = true;
  for (std::size_t i = begin_rebuild(count); i < count; ++i) {
    if (making_ && i > 0 && i % making_->spacing == 0) making_->frames.push_back(keyframe(i));
    const EventPayload& payload = events[i].payload;
    if (std::holds_alternative<events::RequestStarted>(payload) ||
        std::holds_alternative<events::TokenEmitted>(payload))
      continue;
    if (const auto* finished = std::get_if<events::RequestFinished>(&payload)) {
      request_finished(finished->record, seconds_of(events[i]));
      if (making_ && !finished->record.cancelled) making_->served.push_back({i + 1, finished->record.context});
      continue;
    }
    handle(events[i]);
  }
  if (frontier.epoch_count() == 0) frontier.set_committed(settings_);
  rebuild_requests(events, count, whole);
  rebuild_log(events, count, whole);
  quiet_ = false;
  adopt_settings();
  hand_out_snapshot(false);
  look_at_session();
  emit workChanged();
  emit servedChanged();
  if (whole) emit rebuilt(served_until(events, count));
}

std::vector<Digest128> RunModel::served_until(const std::vector<Event>& events, std::size_t count) const {
  std::vector<Digest128> served;
  if (keyframes_) {
    for (std::size_t i = 0; i < keyframes_->served_until(count); ++i) served.push_back(keyframes_->served[i].context);
    return served;
  }
  for (std::size_t i = 0; i < count; ++i)
    if (const auto* finished = std::get_if<events::RequestFinished>(&events[i].payload);
        finished && !finished->record.cancelled)
      served.push_back(finished->record.context);
  return served;
}

std::shared_ptr<const RunKeyframes> RunModel::keyframes_of(Session& session, const std::vector<Event>& events) {
  auto made = std::make_shared<RunKeyframes>();
  made->spacing = std::max(RunKeyframes::min_spacing, events.size() / RunKeyframes::max);
  RunModel scout(session);
  scout.stash();
  scout.making_ = made.get();
  scout.rebuild(events, events.size(), false);
  return made;
}

}  // namespace kvantage
