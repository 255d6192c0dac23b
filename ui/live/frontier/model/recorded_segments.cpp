#include "ui/live/frontier/model/recorded_segments.h"

#include "ui/text/words.h"

namespace kvantage {

std::vector<std::string> segment_event_types() {
  return {event_type(events::SettingChanged{}),     event_type(events::RequestStarted{}),
          event_type(events::RequestFinished{}),    event_type(events::PlanMade{}),
          event_type(events::PlacementCommitted{}), event_type(events::PlacementFailed{})};
}

SessionSettings settings_at_start(const RunSummary& run) {
  const Json recorded = run.settings.is_object() ? run.settings.value("settings", Json()) : Json();
  if (recorded.is_object())
    if (auto settings = session_settings_from_json(recorded, "settings")) return std::move(*settings);
  // Older runs may lack the rest; what a point is called by is there.
  SessionSettings settings;
  settings.policy = run.policy;
  if (!recorded.is_object()) return settings;
  if (const Json alpha = recorded.value("alpha", Json()); alpha.is_number()) settings.alpha = alpha.get<double>();
  if (const Json metric = recorded.value("quality_metric", Json()); metric.is_string())
    settings.quality_metric = metric.get<std::string>();
  return settings;
}

RunSegments recorded_segments(const RunSummary& run, const std::vector<Event>& events) {
  SessionSettings settings = settings_at_start(run);
  RunSegments segments;
  segments.set_run(to_q(run.run_id));
  segments.set_committed(settings);
  for (const Event& event : events) {
    segments.follow(event);
    if (const auto* changed = std::get_if<events::SettingChanged>(&event.payload)) {
      Json json = to_json(settings);
      json[changed->name] = changed->after;
      if (auto taken = session_settings_from_json(json, "settings")) settings = std::move(*taken);
      segments.set_committed(settings);
    } else if (const auto* finished = std::get_if<events::RequestFinished>(&event.payload)) {
      segments.add(finished->record);
    }
  }
  return segments;
}

}  // namespace kvantage
