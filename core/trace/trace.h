// Recorded traffic of other systems as requests: arrival times, lengths and sharing. A trace is streamed: rows of a
// file become requests one by one, and no file is held in memory, so its size does not matter. One format = one file
// that reads its rows (row_source.h). TraceReader does the rest for all formats: order by arrival, time since the first
// request, scaling, limits, and accounting: rows read = requests returned + rows dropped, by reason. A malformed row is
// an error with file, line, reason and fix; a well-formed row that is not a usable request is dropped and counted.
// Sharing is described in two ways where the trace allows: by leading prefix blocks, and by whole contexts. Dates use
// civil-day arithmetic: the machine's clock and time zone are not used.
#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace kvantage::inline trace {

/// Tokens of a prefix block where a format says nothing else, as in Mooncake's traces; TraceFacts::block_tokens has
/// those of a trace.
inline constexpr std::uint64_t trace_block_tokens = 512;

struct TraceRequest {
  double arrival_seconds = 0;  // since the first request, scaled
  std::uint64_t input_tokens = 0, output_tokens = 0;
  std::uint64_t context = 0;            // equal for requests about the same context; unique where the trace has none
  std::vector<std::uint64_t> blocks;    // prefix blocks front to back; empty where the trace has none
  std::uint64_t row = 0;                // in the file, 1 = first row of data
  std::uint64_t workload = 0;           // category of its sender, as type and turn; 0 where the trace has none
  std::string input_text, output_text;  // only with TraceOptions::with_text, for traces that hold texts
};

struct TraceOptions {
  std::string format = "auto";  // by content, or a name of trace_formats()
  double time_scale = 1;        // arrival times are multiplied: 0.5 doubles the rate
  std::uint64_t limit = 0;      // requests; 0: all
  double bytes_per_token = 4;   // where a trace has texts or bytes instead of tokens
  bool with_text = false;
  std::size_t window_rows = 4096;  // rows that are buffered to sort them by arrival
  std::string map = {};            // fields of the format `mapped`: "time=ts,input=#2" (trace_map.h)
};

/// Row accounting; `waiting` are read but not yet returned, 0 at the end.
struct TraceCounts {
  std::uint64_t rows_read = 0, emitted = 0, waiting = 0;
  std::map<std::string, std::uint64_t, std::less<>> dropped;  // by reason
  std::uint64_t all_dropped() const;
  bool balanced() const { return rows_read == emitted + all_dropped() + waiting; }
};

/// What a format knows about its requests.
struct TraceFacts {
  std::string_view format;
  bool names_contexts = false, names_blocks = false;
  bool estimates_tokens = false;  // from bytes, by TraceOptions::bytes_per_token
  bool has_text = false;
  bool has_times = true;  // false: all requests arrive at 0
  std::uint64_t block_tokens = trace_block_tokens;
};

class RowSource;

/// Requests of a trace in order of arrival; ties keep file order.
class TraceReader {
 public:
  TraceReader(std::unique_ptr<RowSource> rows, TraceFacts facts, const TraceOptions& options);
  ~TraceReader();
  TraceReader(const TraceReader&) = delete;
  TraceReader& operator=(const TraceReader&) = delete;

  /// The next request, or nothing at the end. rejected_input names file, line, reason and fix; the trace ends there.
  Expected<std::optional<TraceRequest>> next();
  const TraceCounts& counts() const { return counts_; }
  const TraceFacts& facts() const { return facts_; }

 private:
  struct Waiting;
  Status fill_window();
  void end_early();

  std::unique_ptr<RowSource> rows_;
  TraceFacts facts_;
  TraceOptions options_;
  TraceCounts counts_;
  std::vector<Waiting> window_;  // heap, the earliest first
  std::size_t window_bytes_ = 0;
  std::optional<std::int64_t> first_, last_;  // nanoseconds on the trace's clock
  bool ended_ = false;
};

/// A format's name and description, for help texts.
struct TraceFormatName {
  std::string_view name, idea;
};
std::span<const TraceFormatName> trace_formats();

/// Opens a trace. usage error for an option out of range or an unknown format; rejected_input for a file that is
/// unreadable, compressed, or in an unknown format.
Expected<std::unique_ptr<TraceReader>> open_trace(const std::filesystem::path& file, const TraceOptions& options = {});
/// The same from a rewindable stream; `name` comes first in messages.
Expected<std::unique_ptr<TraceReader>> open_trace(std::unique_ptr<std::istream> stream, const std::string& name,
                                                  const TraceOptions& options = {});

}  // namespace kvantage::inline trace
