// What the page of a shared run shows of a journal, event by event, before it is bounded (share_data.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/ports/events.h"
#include "core/report/recorded_run.h"
#include "core/report/share/share_series.h"

namespace kvantage::inline share {

/// Settings that requests were served under: a row of the run's report.
struct ShareSegment {
  std::string policy;
  double alpha = 0;  // seconds per unit of quality
  Json session;      // all settings of the session, as of the segment's first request
};

struct ShareRequest {
  double seconds = 0;  // when its answer was complete
  const RequestRecord* record = nullptr;
  std::size_t segment = 0;
  bool warmup = false;
  /// Whether it counts for the metrics of its segment.
  bool is_answer() const { return !warmup && !record->cancelled; }
};

/// Bytes, after each change.
struct ShareTier {
  std::string name;
  std::vector<ShareSample> used, budget;  // budget 0: unlimited
  bool throttled = false;
  std::map<std::string, std::uint64_t> injected_faults;  // by kind, at the end of the run
};

/// A moment worth a mark on the time axis.
struct ShareMark {
  double seconds = 0;
  const char* kind = "";  // setting, drift, profile, fault
  std::string text;
};

/// Predicted means of a plan.
struct SharePlan {
  double seconds = 0;
  std::string policy;
  double alpha = 0, quality = 0, ttft_seconds = 0;
};

/// Seconds are from the first event, never descending. Records are those of the run, which must outlive it.
struct ShareJournal {
  double duration_seconds = 0, first_request_seconds = 0;
  std::vector<ShareRequest> requests;  // in order of completion
  std::vector<ShareTier> tiers;
  std::vector<ShareMark> marks;
  std::vector<SharePlan> plans;
  std::vector<ShareSegment> segments;  // one per row of the run's report, in its order
};

ShareJournal share_journal(const RecordedRun& run);

}  // namespace kvantage::inline share
