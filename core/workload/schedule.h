// An explicit schedule: which request comes when, line by line, in place of what a process draws. A request may name
// its context and question; what it leaves out is drawn as without a schedule, so recorded arrival times go with any
// texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/digest.h"
#include "core/base/error.h"

namespace kvantage {

struct Workload;

struct ScheduledRequest {
  double arrival_seconds = 0;          // from the start of the run; never before the one above
  std::optional<std::size_t> context;  // index; absent: drawn by popularity
  std::optional<std::size_t>
      question;  // index, held out and about that context; absent: the context's questions in turn
  bool operator==(const ScheduledRequest&) const = default;
};

inline constexpr double most_arrival_seconds = 1e9;

/// (requests - 1) / seconds from the first to the last; 0 where all come at once.
double recorded_rate(const std::vector<ScheduledRequest>& schedule);
/// Request `i` behind the one before it, in mean gaps at the recorded rate; the schedule begins anew behind its end, a
/// mean gap later. 0 where all come at once.
double scheduled_gap(const std::vector<ScheduledRequest>& schedule, std::uint64_t i);

/// Reads schedule.jsonl of a workload whose contexts and questions are there, and sets number and rate of its arrivals.
/// rejected_input names file, line, field and mend.
Status read_schedule(const std::string& text, const std::string& name, Workload& workload);
/// The file's text.
std::string schedule_to_text(const Workload& workload);
/// Of times, contexts and questions as they are named.
Digest128 schedule_digest(const Workload& workload);

}  // namespace kvantage
