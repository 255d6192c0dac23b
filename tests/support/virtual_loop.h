// The engine's loop in virtual time, on the test's own thread, over one tier and an archive in memory. Commands are
// posted before it begins and by what listens to it. Each look at the clock takes 1 ms.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/display_queue.h"
#include "core/engine/engine_loop.h"
#include "tests/support/engine_parts.h"
#include "tests/support/memory_stores.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"
#include "tests/support/virtual_executor.h"
#include "tiers/buffer_pool.h"
#include "tiers/dram_tier.h"
#include "tiers/queued_tier.h"

namespace kvantage::test {

struct VirtualLoop final : EventSink {
  VirtualLoop() {
    executor.set_look_seconds(1e-3);
    config.model = model_directory();
    config.workload = small_workload(2, 8, 3, 2);
    config.max_answer_tokens = 12;
    config.settings.policy = "lru";
    config.settings.tiers = {{.name = "dram", .budget = 64 << 20}};
    config.settings.methods = {"knorm"};
    config.settings.removed_fractions = {0.9};
    config.settings.request_limit = 3;
    config.executor = &executor;
    config.open_tiers = [this](const Digest128&, const SessionSettings&, const auto&) -> Expected<OpenedTiers> {
      OpenedTiers opened;
      KV_ASSIGN(auto tier, QueuedTier::open(std::make_unique<DramStore>("dram"), 0, 0, executor));
      KV_ASSIGN(opened.archive, QueuedTier::open(std::make_unique<DramStore>("archive"), 0, 0, executor));
      opened.tiers.push_back(std::move(tier));
      opened.lender = std::make_unique<BufferPool>(std::size_t{64} << 20);
      return opened;
    };
    board.emplace(config.settings, executor.clock());
  }
  /// Until something has posted `close`.
  void run() {
    EngineLoop({.config = config,
                .clock = executor.clock(),
                .board = *board,
                .viewers = viewers,
                .spans = spans,
                .display = display,
                .profiles = &profiles,
                .runs = &runs,
                .sinks = sinks})
        .run();
  }
  void publish(const Event& event) override {
    heard.publish(event);
    if (on_event) on_event(event);
  }
  template <class T>
  static const T* as(const Event& event) {
    return std::get_if<T>(&event.payload);
  }
  /// Another metric, as if it had been checked.
  void ask_for_metric(const std::string& metric) {
    SessionSettings settings = board->settings();
    settings.quality_metric = metric;
    if (!board->post_settings(settings)) qFatal("no metric");
  }
  bool all_profiled() const {
    return std::ranges::all_of(board->view().snapshot->contexts,
                               [](const ContextState& context) { return context.profile != nullptr; });
  }

  VirtualExecutor executor;
  EngineConfig config;
  std::optional<SessionBoard> board;
  ViewerMailboxes viewers;
  SpanKeeper spans;
  DisplayQueue display;
  MemoryProfileStore profiles;
  MemoryRunStore runs;
  EngineParts::Sink heard;
  std::function<void(const Event&)> on_event;
  std::vector<EventSink*> sinks{this};
};

}  // namespace kvantage::test
