// Typed events: the one stream that window, journal and tests read. Copyable values, JSON both ways.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/policy/types.h"
#include "core/ports/device_gauges.h"
#include "core/ports/pool_report.h"
#include "core/ports/request_record.h"

namespace kvantage::inline ports {

/// A ContextState as plain values; an empty profile: none.
struct RecordedContext {
  Digest128 key;
  std::string id, family;
  int tokens = 0;
  std::uint64_t full_bytes = 0, stored_bytes = 0;
  double frequency = 0;
  std::uint64_t last_access = 0;
  Configuration placement;
  bool archived = false;
  ContextProfile profile;
  std::optional<std::uint64_t> windowed_bytes = {};  // nullopt: no layer's window is passed
};

namespace events {
struct RunStarted {
  std::string run_id;
  Json settings;
};
struct RunFinished {
  std::string run_id, outcome;
  std::uint64_t requests = 0;
};
struct RequestStarted {
  std::uint64_t id = 0;
  std::string context_id, family, question;
};
struct TokenEmitted {
  std::uint64_t request = 0;
  std::string text;
};
struct RequestFinished {
  RequestRecord record;
};
struct ContextComputed {
  Digest128 context;
  std::string context_id;
  int tokens = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;
  bool archived = true;
};
struct ContextProfiled {
  Digest128 context;
  std::string context_id, family;
  ContextProfile profile;
  double seconds = 0;
  bool from_store = false;
  bool after_drift = false;
};
struct PlanMade {
  std::string policy;
  double alpha = 0;
  double mean_quality = 0, mean_ttft_seconds = 0, total_utility = 0;
  std::uint64_t actions = 0;
  double seconds = 0;
};
struct PlacementCommitted {
  PlacementAction action;
  std::string context_id;
  double seconds = 0;
};
/// `left`: the context's current placement.
struct PlacementFailed {
  PlacementAction action;
  std::string context_id;
  std::string reason;
  Configuration left = {};
};
/// `dropped`: the entry is gone: its context is no longer stored; of the archive, its original is no longer archived.
struct ReadFailed {
  Digest128 context;
  std::string tier;
  std::string reason;
  bool dropped = true;
};
/// Usage of one tier after a change.
struct TierOccupancy {
  std::string tier;
  std::uint64_t used_bytes = 0, budget_bytes = 0;
  std::map<std::string, std::uint64_t> bytes_by_method;
};
struct TierFitted {
  std::string tier;
  TierModel model;
  int samples = 0;
  bool throttled = false;
};
/// A tier's own counters since the run started; its fit errors as in FitResiduals. At the end of a run.
struct TierCounted {
  std::string tier, kind, note;
  std::uint64_t reads = 0, read_bytes = 0, writes = 0, written_bytes = 0, dropped = 0;
  std::map<std::string, std::uint64_t> misses, failed_writes;  // by reason
  std::uint64_t fitted_loads = 0;
  double fit_error_median = 0, fit_error_p95 = 0;
  std::map<std::string, std::uint64_t> injected_faults = {};  // injected faults, by kind
};
struct SettingChanged {
  std::string name;
  Json before, after;
};
/// Progress of long work: total 0 = unknown length; done == total ends it.
struct Progress {
  std::string what;
  std::uint64_t done = 0, total = 0;
};
struct Message {
  std::string level;
  std::string text;
};  // "info", "warning", "error"
/// A context's latest answers score below its profile (decayed means). It is re-profiled on the questions asked.
struct DriftDetected {
  Digest128 context;
  std::string context_id;
  double achieved_quality = 0, profiled_quality = 0;
  std::uint64_t answers = 0, questions = 0;  // behind the means; distinct ones to profile on
};
/// Engine thread activity since the run started: at the end of its warm-up and of the run. Busy: all but waiting and
/// the scoring of answers.
struct EngineCounted {
  double busy_seconds = 0;
  double serving_seconds = 0, placing_seconds = 0, profiling_seconds = 0, reprofiling_seconds = 0;  // parts of it
  double longest_profile_step_seconds = 0;  // upper bound on a request's wait for profiling
  double longest_prefill_step_seconds = 0;  // one layer of one chunk
  std::uint64_t drifts = 0, reprofiles = 0, requeued = 0;
  int max_running = 0;
  std::optional<ModelDeviceGauges> model_device = {};  // of the model: memory now, copies since the run started
};
/// The inputs of decisions, at a run's start and after large changes; replays start from them (recorded_snapshot.h).
struct SnapshotTaken {
  std::string reason;  // "start", "profiles", "shared tier", "settings"
  double alpha = 0;
  std::vector<TierState> tiers;
  PrefillModel prefill;
  QuestionModel question;
  std::vector<CodecCost> codec_costs;
  std::vector<RecordedContext> contexts;  // ascending by key
  std::optional<HybridServing> hybrid = {};
  std::optional<QualityBound> quality_bound = {};  // of the settings; nothing: the mean
};
/// Fitted costs of loads, prefill and questions from here on; `tiers` in their order.
struct CostsFitted {
  std::vector<TierModel> tiers;
  PrefillModel prefill;
  QuestionModel question;
};
}  // namespace events

using EventPayload =
    std::variant<events::RunStarted, events::RunFinished, events::RequestStarted, events::TokenEmitted,
                 events::RequestFinished, events::ContextComputed, events::ContextProfiled, events::PlanMade,
                 events::PlacementCommitted, events::PlacementFailed, events::ReadFailed, events::TierOccupancy,
                 events::TierFitted, events::TierCounted, events::SettingChanged, events::Progress, events::Message,
                 events::DriftDetected, events::EngineCounted, events::SnapshotTaken, events::CostsFitted,
                 events::CacheCompacted, events::PoolSampled>;

struct Event {
  std::uint64_t sequence = 0;  // gap-free within a run
  std::int64_t utc_ns = 0, monotonic_ns = 0;
  EventPayload payload;
};

/// Type name as written in journals: "request.finished", "placement.committed", ...
const char* event_type(const EventPayload& payload);
Json to_json(const Event& event);
Expected<Event> event_from_json(const Json& json);
Json to_json(const RequestRecord& record);
Expected<RequestRecord> request_record_from_json(const Json& json);

/// Receives every event, in order, from the engine thread; must not block.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void publish(const Event& event) = 0;  // not named emit: that is a macro wherever Qt is included
};

}  // namespace kvantage::inline ports
