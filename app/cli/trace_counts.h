// What became of the rows of a trace, for people.
#pragma once

#include <cstdio>
#include <string>

#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/trace/trace.h"

namespace kvantage::cli {

/// Of --map, for every command that reads a trace.
inline constexpr const char* trace_map_help =
    "Fields of a csv, tsv or jsonl trace: time=FIELD,input=FIELD,output=FIELD,context=FIELD,blocks=FIELD; bytes=FIELD "
    "instead of input; a time's unit behind it (time=FIELD:ms); block_tokens=16; a column by its number: time=#1 "
    "(default: by known names)";

/// rejected_input for a trace that was read to its end and has no request.
inline Status check_any_request(const std::string& trace, const TraceCounts& counts) {
  if (counts.emitted > 0) return {};
  std::string dropped;
  for (const auto& [reason, count] : counts.dropped)
    dropped += (dropped.empty() ? ": " : ", ") + std::to_string(count) + " " + reason;
  return fail(ErrorCode::rejected_input,
              trace + ": has no request to simulate; of " + counted(counts.rows_read, "row") + ", " +
                  std::to_string(counts.all_dropped()) + " dropped" + dropped + "; give a trace with usable rows");
}

/// "12 rows read = 10 requests + 2 dropped", and a line for each reason.
inline void print_trace_counts(const TraceCounts& counts) {
  std::printf("%s read = %s + %llu dropped\n", counted(counts.rows_read, "row").c_str(),
              counted(counts.emitted, "request").c_str(), static_cast<unsigned long long>(counts.all_dropped()));
  for (const auto& [reason, count] : counts.dropped)
    std::printf("  %llu %s\n", static_cast<unsigned long long>(count), reason.c_str());
}

}  // namespace kvantage::cli
