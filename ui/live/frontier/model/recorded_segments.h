// A recorded run in segments, by the same rules as those that a live run makes.
#pragma once

#include <string>
#include <vector>

#include "core/ports/stores.h"
#include "ui/live/frontier/model/run_segments.h"

namespace kvantage {

/// Types of events that recorded_segments() reads.
std::vector<std::string> segment_event_types();
/// The settings that the run began with, from its summary. Fields that are missing or damaged have their defaults.
SessionSettings settings_at_start(const RunSummary& run);
/// `events`: in order, at least those of segment_event_types().
RunSegments recorded_segments(const RunSummary& run, const std::vector<Event>& events);

}  // namespace kvantage
