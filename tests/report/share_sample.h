// A recorded run with everything that the page of a shared run shows, made from a seed.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/report/recorded_run.h"
#include "tests/report/sample_journal.h"

namespace kvantage {

/// Names of the run that a page must not take for markup.
struct SharedNames {
  std::string context = "c", tier = "ssd", policy = "lru", run = "run-a";
};

/// sample_journal() of 60 requests with 5 of them as warm-up, and between its events: alpha is changed from 0.5 to 2
/// and the budget of dram from 4 MiB to 3 MiB before the 31st request; behind the 10th, a plan for alpha 0.5, a drift,
/// a profile after it, and a read that failed; behind the 40th, a plan for alpha 2. Every second request has an answer.
inline RecordedRun shared_sample(const SharedNames& names = {}) {
  RecordedRun run = sample_journal(names.run, names.policy, 1);
  run.summary.settings["warmup"] = 5;
  run.summary.settings["settings"]["alpha"] = 0.5;
  run.summary.settings["settings"]["tiers"] = Json::array({{{"name", "dram"}, {"budget_bytes", 4194304}}});
  std::vector<Event> events;
  int finished = 0;
  const auto insert = [&](const Event& behind, EventPayload payload) {
    Event event = behind;
    event.payload = std::move(payload);
    events.push_back(std::move(event));
  };
  std::uint64_t budget = 4194304;
  for (Event& event : run.events) {
    if (auto* occupancy = std::get_if<events::TierOccupancy>(&event.payload)) {
      if (occupancy->tier == "ssd") occupancy->tier = names.tier;
      if (occupancy->tier == "dram") occupancy->budget_bytes = budget;
    }
    if (auto* profiled = std::get_if<events::ContextProfiled>(&event.payload))
      profiled->context_id.replace(0, 1, names.context);
    auto* answer = std::get_if<events::RequestFinished>(&event.payload);
    if (answer != nullptr) {
      answer->record.context_id.replace(0, 1, names.context);
      if (answer->record.source == "ssd") answer->record.source = names.tier;
      answer->record.alpha = finished < 30 ? 0.5 : 2;
      if (finished % 2 == 0) answer->record.answer = "answer " + std::to_string(finished) + " of " + names.context;
    }
    events.push_back(event);
    if (answer == nullptr) continue;
    ++finished;
    if (finished == 10) {
      insert(event, events::PlanMade{names.policy, 0.5, 0.75, 0.125, 1, 3, 0.001});
      insert(event, events::DriftDetected{answer->record.context, answer->record.context_id, 0.25, 0.75, 9, 4});
      ContextProfile profile;
      profile.points.push_back({.quality = 0.75, .n = 4});
      insert(event, events::ContextProfiled{answer->record.context, answer->record.context_id, "family a", profile, 1,
                                            false, true});
      insert(event, events::ReadFailed{answer->record.context, names.tier, "checksum", true});
    }
    if (finished == 30) {
      budget = 3145728;
      insert(event, events::SettingChanged{"alpha", 0.5, 2.0});
      insert(event, events::SettingChanged{"tiers", Json::array({{{"name", "dram"}, {"budget_bytes", 4194304}}}),
                                           Json::array({{{"name", "dram"}, {"budget_bytes", 3145728}}})});
    }
    if (finished == 40) insert(event, events::PlanMade{names.policy, 2, 0.8, 0.25, 1, 3, 0.001});
  }
  for (std::size_t i = 0; i < events.size(); ++i) events[i].sequence = i + 1;  // without gaps, as a replay needs them
  run.events = std::move(events);
  return run;
}

/// The data within a page, as a browser reads it; null where there is none.
inline Json data_of_page(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"run-data\">";
  const std::size_t at = page.find(begin), from = at + begin.size();
  if (at == std::string::npos) return {};
  return parse_json(page.substr(from, page.find("</script>", from) - from), "page").value_or(Json());
}

/// The value of a series of a page at a time: that of its last sample until then; null before the first.
inline Json value_at(const Json& series, double seconds) {
  Json value;
  for (std::size_t i = 0; i < series.at("t").size() && series.at("t").at(i).get<double>() <= seconds; ++i)
    value = series.at("v").at(i);
  return value;
}

}  // namespace kvantage
