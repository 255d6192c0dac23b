#include "core/report/event_lines.h"

#include <utility>

#include "core/base/counted.h"
#include "core/base/units.h"
#include "core/ports/reason_text.h"

namespace kvantage::inline report {
namespace {

std::string configuration(const Configuration& c) {
  if (!c.stored()) return "not stored";
  return "tier " + std::to_string(c.tier) +
         (c.method == "none" ? "" : " " + c.method + " " + format_fixed(c.removed_fraction, 2));
}

std::string action(const PlacementAction& a, const std::string& context_id) {
  std::string text = std::string(to_string(a.kind)) + " " + context_id + ": " + configuration(a.from) + " (" +
                     format_bytes(a.bytes_before) + ") to " + configuration(a.to) + " (" + format_bytes(a.bytes_after) +
                     ")";
  return a.reason.empty() ? text : text + "; " + a.reason;
}

struct EventText {
  std::string operator()(const events::RunStarted& e) const { return "run " + e.run_id; }
  std::string operator()(const events::RunFinished& e) const {
    return e.outcome + " after " + counted(e.requests, "request");
  }
  std::string operator()(const events::RequestStarted& e) const {
    return "request " + std::to_string(e.id) + " on " + e.context_id + ": " + e.question;
  }
  std::string operator()(const events::TokenEmitted& e) const {
    return "request " + std::to_string(e.request) + ": " + e.text;
  }
  std::string operator()(const events::RequestFinished& e) const {
    const RequestRecord& r = e.record;
    std::string text = "request " + std::to_string(r.id) + " on " + r.context_id + " from " + r.source;
    if (r.cancelled) return text + ": canceled";
    if (r.method != "none") text += " " + r.method + " " + format_fixed(r.removed_fraction, 2);
    text += ": TTFT " + format_seconds(r.timing.ttft_service_seconds) + " (" + display_name(r.provenance) + ")";
    for (const auto& [metric, value] : r.quality) text += ", " + metric + " " + format_fixed(value, 3);
    return text + "; " + r.answer;
  }
  std::string operator()(const events::ContextComputed& e) const {
    return e.context_id + ": " + std::to_string(e.tokens) + " tokens, " + format_bytes(e.bytes) + " in " +
           format_seconds(e.seconds);
  }
  std::string operator()(const events::ContextProfiled& e) const {
    return e.context_id + ": " + counted(e.profile.points.size(), "point") +
           (e.from_store ? " from the store" : " in " + format_seconds(e.seconds)) + (e.after_drift ? ", again" : "");
  }
  std::string operator()(const events::PlanMade& e) const {
    return e.policy + " plans " + counted(e.actions, "action") + ": predicted quality " +
           format_fixed(e.mean_quality, 3) + ", TTFT " + format_seconds(e.mean_ttft_seconds);
  }
  std::string operator()(const events::PlacementCommitted& e) const { return action(e.action, e.context_id); }
  std::string operator()(const events::PlacementFailed& e) const {
    return action(e.action, e.context_id) + "; failed: " + e.reason;
  }
  std::string operator()(const events::ReadFailed& e) const {
    return "from " + e.tier + ": " + std::string(reason_text(e.reason)) + (e.dropped ? "; the entry was dropped" : "");
  }
  std::string operator()(const events::TierOccupancy& e) const {
    return e.tier + ": " + format_bytes(e.used_bytes) +
           (e.budget_bytes > 0 ? " of " + format_bytes(e.budget_bytes) : "");
  }
  std::string operator()(const events::TierFitted& e) const {
    return e.tier + ": " + format_bytes(static_cast<std::uint64_t>(e.model.bytes_per_second)) + "/s, latency " +
           format_seconds(e.model.latency_seconds) + " from " + counted(static_cast<std::uint64_t>(e.samples), "load") +
           (e.throttled ? " (throttled)" : "");
  }
  std::string operator()(const events::TierCounted& e) const {
    return e.tier + ": " + counted(e.reads, "read") + ", " + counted(e.writes, "write");
  }
  std::string operator()(const events::SettingChanged& e) const {
    return e.name + ": " + dump_json(e.before) + " to " + dump_json(e.after);
  }
  std::string operator()(const events::Progress& e) const {
    return e.what + " " + std::to_string(e.done) + "/" + std::to_string(e.total);
  }
  std::string operator()(const events::Message& e) const { return e.level + ": " + e.text; }
  std::string operator()(const events::DriftDetected& e) const {
    return e.context_id + ": quality " + format_fixed(e.achieved_quality, 3) + ", profile " +
           format_fixed(e.profiled_quality, 3);
  }
  std::string operator()(const events::EngineCounted& e) const {
    return "busy " + format_seconds(e.busy_seconds) + ", including " + format_seconds(e.reprofiling_seconds) +
           " re-profiling";
  }
  std::string operator()(const events::SnapshotTaken& e) const {
    return e.reason + ": " + counted(e.contexts.size(), "context") + ", " + counted(e.tiers.size(), "tier");
  }
  std::string operator()(const events::CostsFitted& e) const {
    std::string text = "question " + format_seconds(e.question.base_seconds);
    for (const TierModel& tier : e.tiers)
      text += ", " + format_bytes(static_cast<std::uint64_t>(tier.bytes_per_second)) + "/s";
    return text;
  }
  std::string operator()(const events::CacheCompacted& e) const {
    return "request " + std::to_string(e.request) + " on " + e.context_id + ": " + counted(e.blocks_freed, "block") +
           " freed, " + counted(e.slot_copies, "KV entry") + " moved in " + format_seconds(e.seconds);
  }
  std::string operator()(const events::PoolSampled& e) const {
    return std::to_string(e.pool.live_blocks) + " of " + counted(e.pool.capacity_blocks, "block") + " in use, " +
           counted(static_cast<std::uint64_t>(e.pool.requests), "request");
  }
};

std::string right_aligned(const std::string& text, std::size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}
std::string left_aligned(const std::string& text, std::size_t width) {
  return text + std::string(width > text.size() ? width - text.size() : 0, ' ');
}

template <std::size_t... index>
std::vector<std::string> types_of(std::index_sequence<index...>) {
  return {event_type(EventPayload(std::in_place_index<index>))...};
}

}  // namespace

std::string event_line(const Event& event, double seconds) {
  return right_aligned(format_fixed(seconds, 3), 10) + " s " + right_aligned(std::to_string(event.sequence), 6) + "  " +
         left_aligned(event_type(event.payload), 20) + " " + std::visit(EventText{}, event.payload);
}

std::vector<std::string> event_types() {
  return types_of(std::make_index_sequence<std::variant_size_v<EventPayload>>{});
}

}  // namespace kvantage::inline report
