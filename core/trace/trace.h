// Recorded traffic of other systems as requests: when they came, how long they were and what they shared. A trace is
// read as a stream: rows of a file become requests one by one, and no file is held in memory, so its size does not
// matter. One format = one file that reads its rows (row_source.h); what is the same for all happens once, in
// TraceReader: order by arrival, time from the first request on, scaling, limits, and the accounting that closes on
// every trace: rows read = requests given + rows dropped, by reason. A row that cannot be what the format says is
// refused with file, line, reason and mend; a well-formed row that is no usable request is dropped and counted. What
// requests share is named twice where the trace allows it: by the prefix blocks of 512 tokens they begin with, and by
// their context as a whole. Dates are civil days by arithmetic: the clock and the zone of the machine play no part.
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

namespace kvantage {

/// Tokens of a prefix block, as in Mooncake's traces.
inline constexpr std::uint64_t trace_block_tokens = 512;

struct TraceRequest {
  double arrival_seconds = 0;  // after the first request, scaled
  std::uint64_t input_tokens = 0, output_tokens = 0;
  std::uint64_t context = 0;            // equal for requests about the same context; unique where the trace names none
  std::vector<std::uint64_t> blocks;    // prefix blocks front to back; empty where the trace does not tell
  std::uint64_t row = 0;                // of the file, 1 = first row of data
  std::string input_text, output_text;  // only with TraceOptions::with_text, of traces that hold texts
};

struct TraceOptions {
  std::string format = "auto";  // by content, or a name of trace_formats()
  double time_scale = 1;        // arrival times are multiplied: 0.5 doubles the rate
  std::uint64_t limit = 0;      // requests; 0: all
  double bytes_per_token = 4;   // where a trace holds texts or bytes in place of tokens
  bool with_text = false;
  std::size_t window_rows = 4096;  // rows that are looked at together to put them in order of arrival
};

/// Rows and what became of them; `waiting` are read and not given yet, 0 at the end.
struct TraceCounts {
  std::uint64_t rows_read = 0, emitted = 0, waiting = 0;
  std::map<std::string, std::uint64_t, std::less<>> dropped;  // by reason
  std::uint64_t all_dropped() const;
  bool balanced() const { return rows_read == emitted + all_dropped() + waiting; }
};

/// What a format can tell about its requests.
struct TraceFacts {
  std::string_view format;
  bool names_contexts = false, names_blocks = false;
  bool estimates_tokens = false;  // from bytes, by TraceOptions::bytes_per_token
  bool has_text = false;
};

class RowSource;

/// Requests of a trace in order of arrival; rows of the same time keep their order in the file.
class TraceReader {
 public:
  TraceReader(std::unique_ptr<RowSource> rows, TraceFacts facts, const TraceOptions& options);
  ~TraceReader();
  TraceReader(const TraceReader&) = delete;
  TraceReader& operator=(const TraceReader&) = delete;

  /// The next request, or nothing at the end. rejected_input names file, line, reason and mend; the trace ends there.
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
  std::optional<std::int64_t> first_, last_;  // nanoseconds of the trace's own clock
  bool ended_ = false;
};

/// A format by name and in words, for help texts.
struct TraceFormatName {
  std::string_view name, idea;
};
std::span<const TraceFormatName> trace_formats();

/// Opens a trace. usage error for an option out of range or an unknown format; rejected_input for a file that cannot be
/// read, is compressed, or is in no known format.
Expected<std::unique_ptr<TraceReader>> open_trace(const std::filesystem::path& file, const TraceOptions& options = {});
/// The same from a stream that can be read from its beginning again; `name` stands first in messages.
Expected<std::unique_ptr<TraceReader>> open_trace(std::unique_ptr<std::istream> stream, const std::string& name,
                                                  const TraceOptions& options = {});

}  // namespace kvantage
