// What a format has to provide: rows of a file one by one. Everything else about traces is trace.h's.
#pragma once

#include <istream>
#include <memory>
#include <string>
#include <string_view>

#include "core/trace/trace.h"

namespace kvantage {

/// Reasons by which rows are dropped; one name for all formats.
namespace drop_reason {
inline constexpr std::string_view no_input = "no input tokens";
inline constexpr std::string_view failed = "failed, no response tokens";
inline constexpr std::string_view out_of_order = "earlier than the reading window reaches back";
inline constexpr std::string_view beyond_limit = "beyond the limit";
}  // namespace drop_reason

struct TraceRow {
  std::int64_t nanoseconds = 0;  // of the trace's own clock, 0 up to 2^63 - 1
  TraceRequest request;          // all but arrival_seconds
  std::string_view dropped;      // one of drop_reason, or empty
};

/// Rows in file order.
class RowSource {
 public:
  virtual ~RowSource() = default;
  /// Fills `row` (which comes fresh), false at the end. rejected_input names file, line, reason and mend.
  virtual Expected<bool> next(TraceRow& row) = 0;
  /// False where a file of a format that can name contexts does not.
  virtual bool names_contexts() const { return true; }
};

/// A context of its own for a row that names none: well mixed, so that it meets no other id.
std::uint64_t own_context(std::uint64_t row);
/// Tokens that `bytes` are taken for, at least 1 for at least one byte.
std::uint64_t tokens_of_bytes(std::uint64_t bytes, double bytes_per_token);

using Stream = std::unique_ptr<std::istream>;
// Each reads its header, if there is one, and refuses a file that lacks what it needs.
Expected<std::unique_ptr<RowSource>> open_mooncake(Stream stream, const std::string& name, const TraceOptions& options);
Expected<std::unique_ptr<RowSource>> open_azure(Stream stream, const std::string& name, const TraceOptions& options);
Expected<std::unique_ptr<RowSource>> open_burstgpt(Stream stream, const std::string& name, const TraceOptions& options);
Expected<std::unique_ptr<RowSource>> open_lmcache_agent(Stream stream, const std::string& name,
                                                        const TraceOptions& options);
Expected<std::unique_ptr<RowSource>> open_oracle_general(Stream stream, const std::string& name,
                                                         const TraceOptions& options);

// Whether a file is in the format, by its first line that is not blank (binary: its first bytes).
bool is_mooncake(std::string_view first_line);
bool is_azure(std::string_view first_line);
bool is_burstgpt(std::string_view first_line);
bool is_lmcache_agent(std::string_view first_line);
bool is_oracle_general(std::string_view head);

}  // namespace kvantage
