#include "core/engine/session_board.h"

#include <utility>

namespace kvantage::inline engine {

SessionInfo SessionBoard::info() const {
  const std::lock_guard lock(mutex_);
  return info_;
}

SessionSettings SessionBoard::settings() const {
  const std::lock_guard lock(mutex_);
  return settings_;
}

SessionBoard::View SessionBoard::view() const {
  const std::lock_guard lock(mutex_);
  return view_;
}

ProfileScope SessionBoard::scope() const {
  const std::lock_guard lock(mutex_);
  return scope_;
}

Error SessionBoard::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void SessionBoard::Commands::add(const Commands& more) {
  pause = more.pause || (pause && !more.start);
  start |= more.start;
  step |= more.step;
  stop |= more.stop;
  close |= more.close;
  end_profiling = more.end_profiling || (end_profiling && !more.profile);
  profile = more.profile || (profile && !more.end_profiling);
  inspect |= more.inspect;
}

// A stop ends what was posted before it, and nothing that is posted behind it.
void SessionBoard::post(const Commands& more) {
  const std::lock_guard lock(mutex_);
  if (more.stop || more.close) after_stop_ = {};
  const bool behind = commands_.stop && !more.stop && !more.close && !more.inspect;
  (behind ? after_stop_ : commands_).add(more);
  if (more.stop || more.close) interrupt_ = true;
  changed_.notify_all();
}

Status SessionBoard::post_settings(SessionSettings settings) {
  const std::lock_guard lock(mutex_);
  if (settings.tiers.size() != settings_.tiers.size())
    return fail(ErrorCode::usage, "settings: " + std::to_string(settings.tiers.size()) +
                                      " tiers given, but this session runs with " +
                                      std::to_string(settings_.tiers.size()) + "; tiers are chosen at the start");
  for (std::size_t i = 0; i < settings.tiers.size(); ++i)
    if (settings.tiers[i].name != settings_.tiers[i].name)
      return fail(ErrorCode::usage, "settings: tier '" + settings.tiers[i].name + "' is not in this session");
  for (const TierConfig& tier : settings.tiers)
    if (throttles_are_set_ && tier.throttle.is_relative())
      return fail(ErrorCode::usage, "settings: tier '" + tier.name +
                                        "': a bandwidth relative to prefill is resolved at the start; give it in "
                                        "bytes/s");
  if (settings.archive != settings_.archive)
    return fail(ErrorCode::usage, "settings: archive: is chosen at the start and cannot change");
  if (full_bytes_ > 0) resolve_budgets(settings.tiers, full_bytes_);
  settings_ = std::move(settings);
  commands_.settings = true;
  changed_.notify_all();
  return {};
}

RunState SessionBoard::wait_while_busy(double seconds) const {
  std::unique_lock lock(mutex_);
  const auto command_waits = [this] {
    const auto runs = [](const auto& commands) { return commands.start || commands.step || commands.profile; };
    return runs(commands_) || runs(after_stop_);
  };
  clock_.wait(lock, changed_, seconds, [&] {
    const RunState now = state_.load();
    return (now != RunState::loading && now != RunState::running && !command_waits()) || now == RunState::failed;
  });
  const RunState now = state_.load();
  const bool over = now == RunState::failed || now == RunState::closed;
  return command_waits() && !over ? RunState::running : now;
}

SessionBoard::Taken SessionBoard::take(bool busy) {
  const std::lock_guard lock(mutex_);
  const bool settings_waited = commands_.settings;
  Taken taken{commands_, settings_, state_, settings_waited && busy};
  taken.commands.settings = commands_.settings && !busy;
  const bool stopped = taken.commands.stop && !taken.commands.close;
  if (stopped) taken.commands.settings = false;  // they come with what is behind the stop
  commands_ = std::exchange(after_stop_, {});
  commands_.settings = taken.settings_wait || (stopped && settings_waited);
  interrupt_ = false;
  // Under the same lock: nobody may see the command taken but the state unchanged.
  const Commands& now = taken.commands;
  const bool profiles = now.profile && state_ != RunState::paused;  // a run that is paused stays so
  if ((now.start || now.step || profiles) && !now.stop && !now.close) state_ = RunState::running;
  return taken;
}

bool SessionBoard::wait_for_command(double seconds) {
  std::unique_lock lock(mutex_);
  return clock_.wait(lock, changed_, seconds, [this] { return commands_.any(); });
}

void SessionBoard::set_state(RunState state) {
  {
    const std::lock_guard lock(mutex_);
    state_ = state;
  }
  changed_.notify_all();
}

void SessionBoard::show(View view) {
  const std::lock_guard lock(mutex_);
  view_ = std::move(view);
}

void SessionBoard::set_info(SessionInfo info) {
  const std::lock_guard lock(mutex_);
  info_ = std::move(info);
}

void SessionBoard::set_run_id(const std::string& id) {
  const std::lock_guard lock(mutex_);
  info_.run_id = id;
}

void SessionBoard::set_full_bytes(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  full_bytes_ = bytes;
  resolve_budgets(settings_.tiers, bytes);
}

void SessionBoard::set_throttles(const std::vector<TierConfig>& tiers) {
  const std::lock_guard lock(mutex_);
  throttles_are_set_ = true;
  for (std::size_t t = 0; t < tiers.size() && t < settings_.tiers.size(); ++t)
    if (settings_.tiers[t].throttle.is_relative()) settings_.tiers[t].throttle = tiers[t].throttle;
}

void SessionBoard::set_scope(ProfileScope scope) {
  const std::lock_guard lock(mutex_);
  scope_ = std::move(scope);
}

void SessionBoard::set_failure(Error failure) {
  const std::lock_guard lock(mutex_);
  failure_ = std::move(failure);
}

}  // namespace kvantage::inline engine
