// An explicit schedule of requests, line by line, instead of a random process. A request may specify its context and
// question; missing fields are drawn as without a schedule, so recorded arrival times work with any texts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/digest.h"
#include "core/base/error.h"

namespace kvantage::inline workload {

struct Workload;

struct ScheduledRequest {
  double arrival_seconds = 0;          // from the start of the run; ascending
  std::optional<std::size_t> context;  // index; absent: drawn by popularity
  std::optional<std::size_t>
      question;  // index, held out and about that context; absent: the context's questions in rotation
  bool operator==(const ScheduledRequest&) const = default;
};

inline constexpr double max_arrival_seconds = 1e9;

/// (requests - 1) / seconds from the first to the last; 0 where all arrive at once.
double recorded_rate(const std::vector<ScheduledRequest>& schedule);
/// Gap of request `i` after the previous one, in mean gaps at the recorded rate; the schedule repeats a mean gap after
/// its end. 0 where all arrive at once.
double scheduled_gap(const std::vector<ScheduledRequest>& schedule, std::uint64_t i);

/// Reads schedule.jsonl (at most 1 GiB) for a workload whose contexts and questions are loaded, and sets number and
/// rate of its arrivals. rejected_input names file, line, field and fix.
Status read_schedule(const std::filesystem::path& file, Workload& workload);
/// The file's text.
std::string schedule_to_text(const Workload& workload);
/// Digest of times, contexts and questions by id.
Digest128 schedule_digest(const Workload& workload);

}  // namespace kvantage::inline workload
