// LMCache's agent traces: JSON lines with timestamp in us, input and output as texts, and session_id. Tokens are
// estimated from bytes. Prefix blocks are derived from the text: pieces of the estimated length of 512 tokens, each
// hashed with everything before it, so inputs share blocks for their common prefix. The session is the context.
#include <cmath>
#include <limits>

#include "core/base/digest.h"
#include "core/base/json.h"
#include "core/trace/line_source.h"
#include "core/trace/row_source.h"

namespace kvantage::inline trace {
namespace {

std::vector<std::uint64_t> turn_blocks(std::string_view text, double bytes_per_token) {
  const auto block_bytes =
      static_cast<std::size_t>(std::ceil(bytes_per_token * static_cast<double>(trace_block_tokens)));
  std::vector<std::uint64_t> blocks;
  std::uint64_t before = 0;
  for (std::size_t begin = 0; begin < text.size(); begin += block_bytes) {
    DigestBuilder digest;
    digest.add(before).add(text.substr(begin, block_bytes));
    blocks.push_back(before = digest.finish().low);
  }
  return blocks;
}

class LmcacheAgentRows final : public RowSource {
 public:
  LmcacheAgentRows(LineSource lines, const TraceOptions& options) : lines_(std::move(lines)), options_(options) {}

  Expected<bool> next(TraceRow& row) override {
    constexpr std::int64_t nanoseconds_per_unit = 1'000;
    std::string_view line;
    const auto there = lines_.next(line);
    if (!there || !*there) return there;
    const std::string where = lines_.where();
    KV_ASSIGN(auto json, parse_json(line, where));
    KV_ASSIGN(const auto time, json_field<std::int64_t>(json, "timestamp", where));
    if (time < 0 || time > std::numeric_limits<std::int64_t>::max() / nanoseconds_per_unit)
      return fail(ErrorCode::rejected_input,
                  where + ": field 'timestamp' is out of range; give microseconds from 0 on");
    KV_ASSIGN(auto input, json_field<std::string>(json, "input", where));
    KV_ASSIGN(auto output, json_field_or<std::string>(json, "output", where, {}));
    KV_ASSIGN(const auto session, json_field<std::string>(json, "session_id", where));
    row.nanoseconds = time * nanoseconds_per_unit;
    TraceRequest& request = row.request;
    request.row = ++row_;
    request.input_tokens = tokens_of_bytes(input.size(), options_.bytes_per_token);
    request.output_tokens = tokens_of_bytes(output.size(), options_.bytes_per_token);
    request.context = session.empty() ? own_context(row_) : digest_of(std::string_view(session)).low;
    request.blocks = turn_blocks(input, options_.bytes_per_token);
    if (input.empty()) row.dropped = drop_reason::no_input;
    if (options_.with_text) {
      request.input_text = std::move(input);
      request.output_text = std::move(output);
    }
    return true;
  }

 private:
  LineSource lines_;
  TraceOptions options_;
  std::uint64_t row_ = 0;
};

}  // namespace

bool is_lmcache_agent(std::string_view first_line) {
  const auto json = parse_json(first_line, "");
  return json && json->is_object() && json->contains("input") && json->contains("session_id");
}

Expected<std::unique_ptr<RowSource>> open_lmcache_agent(Stream stream, const std::string& name,
                                                        const TraceOptions& options) {
  return std::make_unique<LmcacheAgentRows>(LineSource(std::move(stream), name), options);
}

}  // namespace kvantage::inline trace
