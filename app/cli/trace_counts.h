// What became of the rows of a trace, for people.
#pragma once

#include <cstdio>

#include "core/base/counted.h"
#include "core/trace/trace.h"

namespace kvantage::cli {

/// "12 rows read = 10 requests + 2 dropped", and a line for each reason.
inline void print_trace_counts(const TraceCounts& counts) {
  std::printf("%s read = %s + %llu dropped\n", counted(counts.rows_read, "row").c_str(),
              counted(counts.emitted, "request").c_str(), static_cast<unsigned long long>(counts.all_dropped()));
  for (const auto& [reason, count] : counts.dropped)
    std::printf("  %llu %s\n", static_cast<unsigned long long>(count), reason.c_str());
}

}  // namespace kvantage::cli
