// Showing another session in place of the live one, and any moment of a recorded one.
#include <algorithm>
#include <utility>

#include "ui/session/run_keyframes.h"
#include "ui/session/run_model.h"

namespace kvantage {

void RunModel::swap_with_stash() {
  std::swap(static_cast<RunReading&>(*this), stash_->reading);
  for (std::size_t i = 0; i < projections_.size(); ++i) projections_[i]->swap(stash_->projections[i]);
  selection.forget_requests();
}

std::shared_ptr<const Snapshot> RunModel::live_snapshot() const {
  return stash_ ? stash_->reading.snapshot_ : snapshot_;
}

void RunModel::stash() {
  if (stash_) return;
  stash_ = std::make_unique<Stash>();
  stash_->projections.resize(projections_.size());
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

RunKeyframe RunModel::keyframe(std::size_t moment) const {
  RunKeyframe made{moment, static_cast<const RunProgress&>(*this), {}};
  made.states.reserve(projections_.size());
  for (const auto& projection : projections_) made.states.push_back(projection->save());
  return made;
}

void RunModel::restore(const RunKeyframe& keyframe) {
  static_cast<RunProgress&>(*this) = keyframe.progress;
  for (std::size_t i = 0; i < projections_.size(); ++i) projections_[i]->restore(keyframe.states[i]);
}

// The first event that is still to be applied.
std::size_t RunModel::begin_rebuild(std::size_t count) {
  settings_ = session_.settings();
  settings_seen_ = true;
  set_tier_settings(*this, settings_.tiers);
  contexts.set_quality_metric(settings_.quality_metric);
  selection.forget_requests();
  take_snapshot(session_.snapshot());
  if (const RunKeyframe* nearest = keyframes_ ? keyframes_->last_before(count) : nullptr) {
    restore(*nearest);
    return nearest->moment;
  }
  rewind(settings_);
  for (const auto& projection : projections_) projection->restore(nullptr);
  for (const auto& projection : projections_) projection->set_tiers(snapshot_->tiers, true);  // as a live run begins
  return 0;
}

void RunModel::rebuild(const std::vector<Event>& events, std::size_t count, bool whole) {
  if (!stash_) return;
  count = std::min(count, events.size());
  quiet_ = true;
  for (std::size_t i = begin_rebuild(count); i < count; ++i) {
    if (making_ && i > 0 && i % making_->spacing == 0) making_->frames.push_back(keyframe(i));
    const EventPayload& payload = events[i].payload;
    if (std::holds_alternative<events::TokenEmitted>(payload)) continue;  // many, and only logs show them
    handle(events[i]);
    if (const auto* finished = std::get_if<events::RequestFinished>(&payload);
        making_ && finished && !finished->record.cancelled)
      making_->served.push_back({i + 1, finished->record.context});
  }
  if (frontier.epoch_count() == 0) frontier.set_committed(settings_);
  const RunPast past{events, count, whole, [&](std::size_t moment) { return answered_until(events, moment); }};
  for (const auto& projection : projections_)
    if (projection->logs()) projection->fill(past);
  quiet_ = false;
  adopt_settings();
  hand_out_snapshot(false);
  look_at_session();
  emit workChanged();
  emit servedChanged();
  if (whole) emit rebuilt(served_until(events, count));
}

std::uint64_t RunModel::answered_until(const std::vector<Event>& events, std::size_t count) const {
  if (keyframes_) return keyframes_->served_until(count);
  std::uint64_t answered = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (const auto* finished = std::get_if<events::RequestFinished>(&events[i].payload))
      answered += !finished->record.cancelled;
  return answered;
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
