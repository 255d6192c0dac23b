#include "core/engine/engine.h"

#include "core/engine/engine_loop.h"
#include "core/engine/settings_check.h"

namespace kvantage::inline engine {

Engine::Engine(EngineConfig config, ProfileStore* profiles, RunStore* runs, std::vector<EventSink*> sinks)
    : ViewerPorts(board_),
      config_(std::move(config)),
      profiles_(profiles),
      runs_(runs),
      clock_(config_.executor->clock()),
      sinks_(std::move(sinks)),
      board_(config_.settings, clock_) {
  thread_ = config_.executor->start("", ThreadPriority::engine, [this] {
    EngineLoop({.config = config_,
                .clock = clock_,
                .board = board_,
                .viewers = mailboxes(),
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

void Engine::stop_profiling() { board_.post({.end_profiling = true}); }

Status Engine::apply(const SessionSettings& settings) {
  KV_ASSIGN(auto accepted, checked_settings(settings));
  const SessionInfo info = board_.info();
  KV_TRY(check_split(accepted, info.split_refusal));
  KV_TRY(check_layer_inputs(accepted, info.layer_inputs_refusal));
  KV_TRY(check_products(accepted, this->settings()));
  return board_.post_settings(std::move(accepted));
}

}  // namespace kvantage::inline engine
