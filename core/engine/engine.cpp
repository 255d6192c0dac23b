#include "core/engine/engine.h"

#include "core/engine/engine_loop.h"
#include "core/engine/settings_check.h"

namespace kvantage::inline engine {

Engine::Engine(EngineConfig config, ProfileStore* profiles, RunStore* runs, std::vector<EventSink*> sinks)
    : config_(std::move(config)),
      profiles_(profiles),
      runs_(runs),
      clock_(config_.executor->clock()),
      sinks_(std::move(sinks)),
      board_(config_.settings, clock_) {
  thread_ = config_.executor->start("", ThreadPriority::engine, [this] {
    EngineLoop({.config = config_,
                .clock = clock_,
                .board = board_,
                .inspections = inspections_,
                .spans = spans_,
                .display = display_,
                .profiles = profiles_,
                .runs = runs_,
                .sinks = sinks_})
        .run();
  });
}

Engine::~Engine() {
  board_.post({.close = true});
  thread_.reset();
}

void Engine::start() { board_.post({.start = true}); }

void Engine::pause() { board_.post({.pause = true}); }

void Engine::step() { board_.post({.step = true}); }

void Engine::stop() { board_.post({.stop = true}); }

void Engine::profile_all() { board_.post({.profile = true}); }

Status Engine::apply(const SessionSettings& settings) {
  KV_ASSIGN(auto accepted, checked_settings(settings));
  const SessionInfo info = board_.info();
  KV_TRY(check_split(accepted, info.split_refusal));
  KV_TRY(check_layer_inputs(accepted, info.layer_inputs_refusal));
  return board_.post_settings(std::move(accepted));
}

std::uint64_t Engine::request_keep_map(const KeepMapRequest& request) {
  if (const RunState now = state(); now == RunState::failed || now == RunState::closed) {
    const std::string why = failure().message;
    return inspections_.refuse(request, "keep map: the engine has ended" + (why.empty() ? why : " (" + why + ")") +
                                            "; open the workload again");
  }
  const std::uint64_t ticket = inspections_.ask(request);
  board_.post({.inspect = true});
  return ticket;
}

void Engine::drop_keep_map() {
  inspections_.drop();
  board_.post({.inspect = true});
}

std::vector<std::string> Engine::methods() const {
  std::vector<std::string> texts;
  for (const MethodInfo& info : known_methods())
    if (info.removes_tokens) texts.push_back(info.text);
  return texts;
}

}  // namespace kvantage::inline engine
