// Recorded runs that a test pins to the Frontier of a window, up to as many as it holds.
#pragma once

#include <QTest>
#include <algorithm>

#include "tests/ui/runs/memory_library.h"
#include "tests/ui/window/window_parts.h"

namespace kvantage {

inline QString run_to_pin(std::size_t number) { return QStringLiteral("pinned-%1").arg(number); }

/// Runs 0 to `count` - 1, which differ in policy and contexts. Before a window reads the library.
inline void add_runs_to_pin(MemoryLibrary& library, std::size_t count, int requests) {
  static const char* const policies[] = {"lru", "evicpress", "full_prefill"};
  for (std::size_t i = 0; i < count; ++i) {
    const std::string id = run_to_pin(i).toStdString();
    library.runs[id] = scripted_run(id, 12 + 2 * i, requests, 0, policies[i % 3]);
  }
}

/// Whether so many runs are pinned, all of them with points, and none is being read.
inline bool pins_are_drawn(const HeldRunsModel& held, std::size_t count) {
  const auto is_drawn = [](const HeldRun& run) { return !run.ghost && !run.points.empty(); };
  return held.idle() && static_cast<std::size_t>(std::ranges::count_if(held.held(), is_drawn)) == count;
}

/// Pins the first `count` runs; false: they were not drawn within a minute.
inline bool pin_runs(MainWindow& window, std::size_t count) {
  HeldRunsModel& held = window.models().held;
  for (std::size_t i = 0; i < count; ++i) held.pin(run_to_pin(i));
  return QTest::qWaitFor([&] { return pins_are_drawn(held, count); }, 60000);
}

}  // namespace kvantage
