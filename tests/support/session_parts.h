// All parts of an engine without its loop, on the test's own thread: what a part of the session itself works between.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/engine/session_parts.h"
#include "tests/support/engine_parts_work.h"
#include "tests/support/memory_stores.h"

namespace kvantage::test {

struct WholeParts {
  explicit WholeParts(const std::string& policy = "lru") {
    settings.policy = policy;
    settings.tiers = {{.name = "dram", .budget = EngineParts::tier_bytes}};
    settings.methods = {"knorm"};
    settings.removed_fractions = {0.5};
    settings.request_limit = 3;
    parts.use(settings);
    must(parts.placement.use_policy(policy));
    parts.quality.use_metric(settings.quality_metric);
  }
  const ContextState& state(std::size_t context) { return world.catalog->state(context); }
  std::size_t entries() const {
    std::size_t count = 0;
    for (std::size_t c = 0; c < world.catalog->size(); ++c)
      count += world.dram->contains(world.catalog->details(c).entry.key) ? 1 : 0;
    return count;
  }
  /// Warnings and errors, oldest first.
  std::vector<std::string> messages() const {
    std::vector<std::string> texts;
    for (const auto& message : world.sink.all<events::Message>()) texts.push_back(message.text);
    return texts;
  }

  EngineConfig config = [] {
    EngineConfig made;
    made.workload = small_workload(2, 8, 3, 2);
    return made;
  }();
  SessionSettings settings;
  MemoryRunStore runs;
  MemoryProfileStore profiles;
  JournalSink journal{&runs};
  EngineParts world{config.workload, with_pool(32 << 20), {&journal}};
  SpanKeeper spans;
  ViewerMailboxes viewers;
  QualityMeter meter;
  ProgressReporter progress{world.events};
  /// Of each tier, as they were injected.
  std::vector<std::string> injected;
  SessionParts parts{world.services(),
                     {.config = config,
                      .serving_clock = world.serving_clock,
                      .meter = meter,
                      .progress = progress,
                      .journal = journal,
                      .viewers = viewers,
                      .spans = spans,
                      .profiles = &profiles,
                      .runs = &runs,
                      .settings = settings},
                     [this](std::size_t, const std::string& faults) {
                       injected.push_back(faults + " at " + std::to_string(entries()) + " entries");
                       return Status();
                     }};
  SessionBoard board{settings, world.clock};
};

}  // namespace kvantage::test
