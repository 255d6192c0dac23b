// Recorded runs made from a seed, with everything that the charts of a report are drawn from.
#pragma once

#include <string>

#include "core/report/recorded_run.h"
#include "tests/report/sample_runs.h"

namespace kvantage {

/// A request a tenth of a second, 60 of them; nine contexts of three families with profiles of two methods; occupancy
/// of dram (budget 4 MiB) and ssd (none) after each.
inline RecordedRun sample_journal(const std::string& id, const std::string& policy, std::uint64_t seed) {
  RecordedRun run;
  run.summary = {id,
                 1,
                 2,
                 policy,
                 "finished",
                 60,
                 Json{{"settings", {{"policy", policy}, {"quality_metric", "token_f1"}}},
                      {"environment", {{"model_digest", "m"}, {"workload_digest", "w"}}}}};
  std::uint64_t sequence = 0;
  double seconds = 3;  // of the machine's clock
  const auto add = [&](EventPayload payload) {
    Event event;
    event.sequence = ++sequence;
    event.monotonic_ns = static_cast<std::int64_t>(seconds * 1e9);
    event.payload = std::move(payload);
    run.events.push_back(std::move(event));
  };
  add(events::TierOccupancy{"dram", 1048576, 4194304, {}});
  for (int i = 0; i < 9; ++i) {
    ContextProfile profile;
    profile.points.push_back({.quality = 0.9, .n = 4});
    for (const char* method : {"knorm", "keydiff"})
      for (const double removed : {0.5, 0.75, 0.9})
        profile.points.push_back({.method = method,
                                  .removed_fraction = removed,
                                  .quality = 0.9 - removed * (0.05 * (i % 3) + 0.02 * (i / 3)),
                                  .n = 4});
    const std::string name = std::string(1, 'c').append(std::to_string(i));
    add(events::ContextProfiled{digest_of(name), name, std::string("family ").append(1, static_cast<char>('a' + i % 3)),
                                profile});
  }
  std::uint64_t used = 0;
  for (RequestRecord record : sample_run(seed, policy, 60).records) {
    seconds += 0.05;
    add(events::RequestStarted{record.id, record.context_id, "", ""});
    seconds += 0.05;
    record.question = "question " + std::to_string(record.id);
    record.predicted_ttft_seconds = record.timing.ttft_service_seconds * 0.8;
    record.predicted_quality = 0.9;
    used += 100000;
    add(events::TierOccupancy{"dram", used % 4194304, 4194304, {}});
    add(events::TierOccupancy{"ssd", used, 0, {}});
    add(events::RequestFinished{record});
  }
  return run;
}

}  // namespace kvantage
