#include "core/engine/engine.h"

#include <chrono>

#include "core/base/thread_rank.h"
#include "core/engine/engine_worker.h"
#include "core/engine/settings_check.h"

namespace kvantage {

Engine::Engine(EngineConfig config, ProfileStore* profiles, RunStore* runs, std::vector<EventSink*> sinks)
    : config_(std::move(config)),
      profiles_(profiles),
      runs_(runs),
      sinks_(std::move(sinks)),
      settings_(config_.settings) {
  snapshot_ = std::make_shared<const Snapshot>();
  thread_ = std::thread([this] {
    rank_this_thread(ThreadRank::engine);
    Worker(*this).run();
  });
}

Engine::~Engine() {
  {
    const std::lock_guard lock(mutex_);
    commands_.close = true;
    interrupt_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

SessionInfo Engine::info() const {
  const std::lock_guard lock(mutex_);
  return info_;
}

void Engine::start() {
  const std::lock_guard lock(mutex_);
  commands_.start = true;
  commands_.pause = false;
  changed_.notify_all();
}

void Engine::pause() {
  const std::lock_guard lock(mutex_);
  commands_.pause = true;
  changed_.notify_all();
}

void Engine::step() {
  const std::lock_guard lock(mutex_);
  commands_.step = true;
  changed_.notify_all();
}

void Engine::stop() {
  const std::lock_guard lock(mutex_);
  commands_.stop = true;
  interrupt_ = true;
  changed_.notify_all();
}

Status Engine::apply(const SessionSettings& settings) {
  auto accepted = checked_settings(settings);
  if (!accepted) return tl::unexpected(accepted.error());
  const std::lock_guard lock(mutex_);
  if (settings.tiers.size() != settings_.tiers.size())
    return fail(ErrorCode::usage, "settings: " + std::to_string(settings.tiers.size()) +
                                      " tiers given, but this session runs with " +
                                      std::to_string(settings_.tiers.size()) + "; tiers are chosen at the start");
  for (std::size_t i = 0; i < settings.tiers.size(); ++i)
    if (settings.tiers[i].name != settings_.tiers[i].name)
      return fail(ErrorCode::usage, "settings: tier '" + settings.tiers[i].name + "' is not in this session");
  if (settings.archive != settings_.archive)
    return fail(ErrorCode::usage, "settings: archive: is chosen at the start and stays where it is");
  if (full_bytes_ > 0) resolve_budgets(accepted->tiers, full_bytes_);
  settings_ = std::move(*accepted);
  commands_.settings = true;
  changed_.notify_all();
  return {};
}

SessionSettings Engine::settings() const {
  const std::lock_guard lock(mutex_);
  return settings_;
}

std::shared_ptr<const Snapshot> Engine::snapshot() const {
  const std::lock_guard lock(mutex_);
  return snapshot_;
}

std::shared_ptr<const std::vector<TierReport>> Engine::tier_reports() const {
  const std::lock_guard lock(mutex_);
  return tier_reports_;
}

std::optional<ModelDeviceGauges> Engine::model_device() const {
  const std::lock_guard lock(mutex_);
  return model_device_;
}

std::uint64_t Engine::request_keep_map(const KeepMapRequest& request) {
  const std::lock_guard lock(mutex_);
  if (state_ == RunState::failed || state_ == RunState::closed)
    return inspections_.refuse(request, "keep map: the engine has ended" +
                                            (failure_.message.empty() ? std::string() : " (" + failure_.message + ")") +
                                            "; open the workload again");
  const std::uint64_t ticket = inspections_.ask(request);
  changed_.notify_all();
  return ticket;
}

void Engine::drop_keep_map() {
  const std::lock_guard lock(mutex_);
  inspections_.drop();
  changed_.notify_all();
}

std::shared_ptr<const KeepMapResult> Engine::keep_map() const { return inspections_.result(); }

std::string Engine::keep_map_work() const { return inspections_.work(); }

std::vector<std::string> Engine::methods() const {
  std::vector<std::string> texts;
  for (const MethodInfo& info : known_methods())
    if (info.removes_tokens) texts.push_back(info.text);
  return texts;
}

void Engine::profile_all() {
  const std::lock_guard lock(mutex_);
  commands_.profile = true;
  changed_.notify_all();
}

RunState Engine::wait_while_busy(double seconds) const {
  std::unique_lock lock(mutex_);
  const auto command_waits = [this] { return commands_.start || commands_.profile; };
  changed_.wait_for(lock, std::chrono::duration<double>(seconds), [&] {
    const RunState now = state_.load();
    return (now != RunState::loading && now != RunState::running && !command_waits()) || now == RunState::failed;
  });
  const RunState now = state_.load();
  const bool over = now == RunState::failed || now == RunState::closed;
  return command_waits() && !over ? RunState::running : now;  // asked for and not yet begun is not idle
}

ProfileScope Engine::profile_scope() const {
  const std::lock_guard lock(mutex_);
  return scope_;
}

Error Engine::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

}  // namespace kvantage
