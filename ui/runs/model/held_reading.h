// What reading a run to hold it on the Frontier takes: its segments, settings and notes. For a worker's thread.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "core/ports/run_library.h"
#include "ui/live/frontier/model/run_segments.h"

namespace kvantage {

struct HeldReading {
  std::shared_ptr<const RunSegments> segments;
  Json settings;  // those that it began with, as RunSummary::settings; missing ones with their defaults
  RunNotes notes;
  bool ended = false;
};

/// not_found for an unknown run, cancelled when `cancelled` is set meanwhile.
Expected<HeldReading> read_held(RunLibrary& library, const std::string& run_id, const std::atomic<bool>& cancelled);
/// The points of the query with their intervals drawn, which takes milliseconds each; none are drawn once `cancelled`.
std::vector<MeasuredPoint> held_points(const RunSegments& segments, const SegmentQuery& query,
                                       const std::atomic<bool>& cancelled);

}  // namespace kvantage
