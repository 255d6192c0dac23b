#include "core/ports/events.h"

#include "core/ports/event_fields.h"

namespace kvantage::inline ports {

namespace {

// In the order of EventPayload's alternatives.
constexpr std::array<const char*, std::variant_size_v<EventPayload>> type_names{
    "run.started",      "run.finished",     "request.started", "token.emitted",       "request.finished",
    "context.computed", "context.profiled", "plan.made",       "placement.committed", "placement.failed",
    "read.failed",      "tier.occupancy",   "tier.fitted",     "tier.counted",        "setting.changed",
    "progress",         "message",          "drift.detected",  "engine.counted",      "snapshot.taken",
    "costs.fitted",     "cache.compacted",  "pool.sampled"};
static_assert(std::is_same_v<std::variant_alternative_t<8, EventPayload>, events::PlacementCommitted>);
static_assert(std::is_same_v<std::variant_alternative_t<16, EventPayload>, events::Message>);

template <std::size_t index = 0>
Status read_payload(std::size_t wanted, const Json& json, EventPayload& payload, const std::string& name) {
  if constexpr (index < std::variant_size_v<EventPayload>) {
    if (wanted != index) return read_payload<index + 1>(wanted, json, payload, name);
    return json_into(json, payload.emplace<index>(), name);
  } else {
    return fail(ErrorCode::internal, name + ": unknown type");
  }
}

}  // namespace

const char* to_string(Provenance provenance) {
  for (const auto& [known, text] : JsonNames<Provenance>::list)
    if (known == provenance) return text.data();
  return "measured";
}

const char* display_name(Provenance provenance) {
  switch (provenance) {
    case Provenance::measured:
      return "measured";
    case Provenance::throttled:
      return "throttled";
    case Provenance::simulated:
      return "simulated";
    case Provenance::predicted:
      return "predicted";
    case Provenance::imported:
      return "imported";
  }
  return "measured";
}

const char* event_type(const EventPayload& payload) { return type_names[payload.index()]; }

Json to_json(const Event& event) {
  return {{"sequence", event.sequence},
          {"utc_ns", event.utc_ns},
          {"monotonic_ns", event.monotonic_ns},
          {"type", event_type(event.payload)},
          {"data", std::visit([](const auto& payload) { return json_from(payload); }, event.payload)}};
}

Expected<Event> event_from_json(const Json& json) {
  KV_TRY(refuse_unknown_fields(json, {"sequence", "utc_ns", "monotonic_ns", "type", "data"}, "event"));
  for (const char* field : {"sequence", "utc_ns", "monotonic_ns", "type", "data"})
    if (!json.contains(field))
      return fail(ErrorCode::rejected_input, std::string("event: field '") + field + "' is missing; add it");
  Event event;
  std::string type;
  KV_TRY(json_into(json["sequence"], event.sequence, "event: sequence"));
  KV_TRY(json_into(json["utc_ns"], event.utc_ns, "event: utc_ns"));
  KV_TRY(json_into(json["monotonic_ns"], event.monotonic_ns, "event: monotonic_ns"));
  KV_TRY(json_into(json["type"], type, "event: type"));
  for (std::size_t i = 0; i < type_names.size(); ++i) {
    if (type != type_names[i]) continue;
    KV_TRY(read_payload(i, json["data"], event.payload, "event " + type));
    return event;
  }
  return fail(ErrorCode::rejected_input,
              "event: unknown type '" + printable(type) + "'; the journal is of a newer version");
}

Json to_json(const RequestRecord& record) { return json_from(record); }

Expected<RequestRecord> request_record_from_json(const Json& json) {
  RequestRecord record;
  KV_TRY(json_into(json, record, "request record"));
  return record;
}

}  // namespace kvantage::inline ports
