// The interface of a trace format: rows of a file one by one. trace.h does the rest.
#pragma once

#include <istream>
#include <memory>
#include <string>
#include <string_view>

#include "core/trace/trace.h"

namespace kvantage::inline trace {

/// Reasons for dropped rows, shared by all formats.
namespace drop_reason {
inline constexpr std::string_view no_input = "no input tokens";
inline constexpr std::string_view failed = "failed, no response tokens";
inline constexpr std::string_view blocks_of_another_length = "hash_ids of another length than input_length";
inline constexpr std::string_view out_of_order = "earlier than the reading window reaches back";
inline constexpr std::string_view beyond_limit = "beyond the limit";
}  // namespace drop_reason

struct TraceRow {
  std::int64_t nanoseconds = 0;  // on the trace's clock, 0 up to 2^63 - 1
  TraceRequest request;          // all but arrival_seconds
  std::string_view dropped;      // one of drop_reason, or empty
};

/// Rows in file order.
class RowSource {
 public:
  virtual ~RowSource() = default;
  /// Fills `row` (passed in fresh), false at the end. rejected_input names file, line, reason and fix.
  virtual Expected<bool> next(TraceRow& row) = 0;
  /// What this file knows, where it differs from what its format can.
  virtual void refine(TraceFacts&) const {}
};

/// A unique context for a row that names none: hashed, so that it does not collide.
std::uint64_t own_context(std::uint64_t row);
/// Estimated tokens of `bytes`, at least 1 for at least one byte.
std::uint64_t tokens_of_bytes(std::uint64_t bytes, double bytes_per_token);

using Stream = std::unique_ptr<std::istream>;
// Each reads its header, if there is one, and rejects a file that lacks required fields.
Expected<std::unique_ptr<RowSource>> open_mooncake(Stream stream, const std::string& name, const TraceOptions& options);
Expected<std::unique_ptr<RowSource>> open_azure(Stream stream, const std::string& name, const TraceOptions& options);
Expected<std::unique_ptr<RowSource>> open_burstgpt(Stream stream, const std::string& name, const TraceOptions& options);
Expected<std::unique_ptr<RowSource>> open_lmcache_agent(Stream stream, const std::string& name,
                                                        const TraceOptions& options);
Expected<std::unique_ptr<RowSource>> open_oracle_general(Stream stream, const std::string& name,
                                                         const TraceOptions& options);
Expected<std::unique_ptr<RowSource>> open_qwen_bailian(Stream stream, const std::string& name,
                                                       const TraceOptions& options);
Expected<std::unique_ptr<RowSource>> open_vidur(Stream stream, const std::string& name, const TraceOptions& options);
Expected<std::unique_ptr<RowSource>> open_llmservingsim(Stream stream, const std::string& name,
                                                        const TraceOptions& options);
Expected<std::unique_ptr<RowSource>> open_kv_cache_tester(Stream stream, const std::string& name,
                                                          const TraceOptions& options);
Expected<std::unique_ptr<RowSource>> open_vscsi(Stream stream, const std::string& name, const TraceOptions& options);
Expected<std::unique_ptr<RowSource>> open_mapped(Stream stream, const std::string& name, const TraceOptions& options);

// Whether a file is in the format, by its first non-blank line (by_head: its first bytes).
bool is_mooncake(std::string_view first_line);
bool is_azure(std::string_view first_line);
bool is_burstgpt(std::string_view first_line);
bool is_lmcache_agent(std::string_view first_line);
bool is_oracle_general(std::string_view head);
bool is_qwen_bailian(std::string_view first_line);
bool is_vidur(std::string_view first_line);
bool is_llmservingsim(std::string_view first_line);
bool is_kv_cache_tester(std::string_view head);
bool is_vscsi(std::string_view head);
bool is_mapped(std::string_view first_line);
/// Of a file in no format: what it looks like or lacks, and what to do, in one line; empty: it has no fields. `head`:
/// its beginning, further than the line.
std::string why_unknown_trace(std::string_view first_line, std::string_view head);

}  // namespace kvantage::inline trace
