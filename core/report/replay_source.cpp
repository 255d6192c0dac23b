#include "core/report/replay_source.h"

#include <algorithm>

#include "core/base/json_fields.h"
#include "core/report/snapshot_follower.h"

namespace kvantage::inline report {
namespace {

constexpr std::size_t min_spacing = 256, max_copies = 256;

Json field_of(const Json& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return found != json.end() && found->is_object() ? *found : Json::object();
}

// Applies events to the known state.
struct JournalReader {
  ReplayState& state;

  void operator()(const events::RunStarted& e) { state.settings = field_of(e.settings, "settings"); }
  void operator()(const events::RunFinished& e) { state.outcome = e.outcome; }
  void operator()(const events::RequestStarted&) { ++state.requests_started; }
  void operator()(const events::RequestFinished& e) { state.requests_finished += e.record.cancelled ? 0 : 1; }
  void operator()(const events::TierOccupancy& e) { state.occupancy[e.tier] = e; }
  void operator()(const events::SettingChanged& e) { state.settings[e.name] = e.after; }
  template <class Other>
  void operator()(const Other&) {}
};

}  // namespace

ReplaySource::ReplaySource(RecordedRun run)
    : run_(std::move(run)), spacing_(std::max(min_spacing, run_.events.size() / max_copies)) {
  start_.settings = field_of(run_.summary.settings, "settings");
  state_ = start_;
}

Expected<std::unique_ptr<ReplaySource>> ReplaySource::open(RecordedRun run) {
  const std::string name = "run " + run.summary.run_id;
  if (run.events.empty())
    return fail(ErrorCode::rejected_input,
                name + ": holds no event, so there is nothing to replay; choose another run");
  for (std::size_t i = 1; i < run.events.size(); ++i)
    if (run.events[i].sequence != run.events[i - 1].sequence + 1)
      return fail(ErrorCode::rejected_input, name + ": event " + std::to_string(run.events[i].sequence) + " follows " +
                                                 std::to_string(run.events[i - 1].sequence) +
                                                 ", so some are missing; choose another run");
  return std::unique_ptr<ReplaySource>(new ReplaySource(std::move(run)));
}

Expected<std::unique_ptr<ReplaySource>> ReplaySource::load(RunStore& store, const std::string& run_id) {
  KV_ASSIGN(auto summary, store.run(run_id));
  KV_ASSIGN(auto events, store.events(run_id));
  return open({std::move(summary), std::move(events)});
}

double ReplaySource::seconds_at(std::size_t index) const {
  return static_cast<double>(run_.events[index].monotonic_ns - run_.events.front().monotonic_ns) * 1e-9;
}

std::size_t ReplaySource::moment_at(double seconds) const {
  const auto later = std::ranges::partition_point(run_.events, [&](const Event& event) {
    return seconds_at(static_cast<std::size_t>(&event - run_.events.data())) <= seconds;
  });
  return static_cast<std::size_t>(later - run_.events.begin());
}

std::vector<const RequestRecord*> ReplaySource::records_until(std::size_t moment) const {
  std::vector<const RequestRecord*> records;
  for (std::size_t i = 0; i < std::min(moment, size()); ++i)
    if (const auto* finished = std::get_if<events::RequestFinished>(&run_.events[i].payload))
      records.push_back(&finished->record);
  return records;
}

void ReplaySource::take(ReplayState& state, const Event& event) const {
  std::visit(JournalReader{state}, event.payload);
  std::visit(SnapshotFollower{state.snapshot}, event.payload);
  ++state.events;
  state.sequence = event.sequence;
  state.seconds = seconds_at(state.events - 1);
}

const ReplayState& ReplaySource::seek(std::size_t moment) {
  moment = std::min(moment, size());
  if (moment < state_.events) drained_ = 0;
  if (moment != state_.events) {
    shown_.reset();
    ahead_seconds_ = 0;
  }
  const auto above = kept_.upper_bound(moment);
  const ReplayState* nearest = above == kept_.begin() ? &start_ : &std::prev(above)->second;
  if (moment < state_.events || nearest->events > state_.events) state_ = *nearest;
  while (state_.events < moment) {
    take(state_, run_.events[state_.events]);
    if (state_.events % spacing_ == 0) kept_.try_emplace(state_.events, state_);
  }
  if (state_.events == size()) running_ = false;
  return state_;
}

std::size_t ReplaySource::next_answer() const {
  for (std::size_t i = state_.events; i < size(); ++i)
    if (std::holds_alternative<events::RequestFinished>(run_.events[i].payload)) return i + 1;
  return size();
}

void ReplaySource::advance(double seconds) {
  if (!running_) return;
  const double until = state_.seconds + ahead_seconds_ + seconds;
  seek(std::max(state_.events, moment_at(until)));
  ahead_seconds_ = running_ ? until - state_.seconds : 0;
}

RunState ReplaySource::state() const {
  if (running_) return RunState::running;
  if (state_.events == size()) return RunState::finished;
  return state_.events == 0 ? RunState::ready : RunState::paused;
}

SessionInfo ReplaySource::info() const {
  SessionInfo info;
  const Json environment = field_of(run_.summary.settings, "environment");
  const auto text = [](const Json& json, const char* key) {
    return json.contains(key) && json.at(key).is_string() ? json.at(key).get<std::string>() : std::string();
  };
  info.model_name = text(environment, "model");
  info.model_note = text(environment, "model_note");
  info.workload_name = text(environment, "workload");
  info.run_id = run_.summary.run_id;
  if (run_.summary.settings.is_object()) info.device = text(run_.summary.settings, "device");
  info.contexts = state_.snapshot.contexts.size();
  return info;
}

void ReplaySource::step() {
  running_ = false;
  seek(next_answer());
}

void ReplaySource::stop() {
  running_ = false;
  seek(0);
}

Status ReplaySource::apply(const SessionSettings&) {
  return fail(ErrorCode::usage, "a recorded run cannot change; re-run it with 'run --from " + run_.summary.run_id +
                                    "' to change its settings");
}

SessionSettings ReplaySource::settings() const {
  return session_settings_from_json(state_.settings, "recorded settings").value_or(SessionSettings{});
}

std::shared_ptr<const Snapshot> ReplaySource::snapshot() const {
  if (shown_ == nullptr) {
    auto copy = std::make_shared<Snapshot>(state_.snapshot);
    copy->version = state_.events;
    shown_ = std::move(copy);
  }
  return shown_;
}

std::vector<Event> ReplaySource::drain(std::size_t limit) {
  const std::size_t end = std::min(state_.events, drained_ + std::min(limit, size()));
  std::vector<Event> taken(run_.events.begin() + static_cast<std::ptrdiff_t>(drained_),
                           run_.events.begin() + static_cast<std::ptrdiff_t>(end));
  drained_ = std::max(drained_, end);
  return taken;
}

}  // namespace kvantage::inline report
