#include "ui/runs/model/held_reading.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/policy/policy.h"
#include "ui/live/frontier/model/recorded_segments.h"
#include "ui/text/words.h"

namespace kvantage {

Expected<HeldReading> read_held(RunLibrary& library, const std::string& run_id, const std::atomic<bool>& cancelled) {
  const auto not_cancelled = [&cancelled](std::uint64_t, std::uint64_t) { return !cancelled.load(); };
  KV_ASSIGN(const WholeRun run, library.read(run_id, segment_event_types(), not_cancelled));
  HeldReading reading;
  reading.segments = std::make_shared<const RunSegments>(recorded_segments(run.summary, run.events));
  reading.settings = Json{{"settings", to_json(settings_at_start(run.summary))}};
  if (run.summary.settings.is_object() && run.summary.settings.contains("environment"))
    reading.settings["environment"] = run.summary.settings.at("environment");
  reading.ended = run.summary.finished_utc_ns > 0;
  // Without notes a run can be held all the same.
  if (const auto listed = library.list(std::numeric_limits<std::int64_t>::max())) {
    const auto found =
        std::ranges::find_if(*listed, [&](const ListedRun& each) { return each.summary.run_id == run_id; });
    if (found != listed->end()) reading.notes = found->notes;
  }
  return reading;
}

std::vector<MeasuredPoint> held_points(const RunSegments& segments, const SegmentQuery& query,
                                       const std::atomic<bool>& cancelled) {
  std::vector<MeasuredPoint> points = segments.points(
      query, [&cancelled](const GrowingMean& mean) { return cancelled ? mean.without_interval() : mean.measured(); });
  for (MeasuredPoint& point : points) {
    const auto policy = make_policy(from_q(point.policy));
    point.uses_alpha = !policy || (*policy)->uses_alpha();
    point.current = false;  // of its run, which is not the present one
    point.earlier = true;
  }
  return points;
}

}  // namespace kvantage
