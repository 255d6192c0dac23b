// Mooncake's traces (Qin et al., FAST 2025): JSON lines with timestamp in ms, input_length and output_length in tokens,
// and hash_ids, the ids of the prompt's prefix blocks of 512 tokens, the last one possibly partial.
#include <limits>

#include "core/base/digest.h"
#include "core/base/json.h"
#include "core/trace/json_rows.h"
#include "core/trace/line_source.h"
#include "core/trace/row_source.h"

namespace kvantage::inline trace {
namespace {

class MooncakeRows final : public RowSource {
 public:
  explicit MooncakeRows(LineSource lines) : lines_(std::move(lines)) {}

  Expected<bool> next(TraceRow& row) override {
    constexpr std::int64_t nanoseconds_per_unit = 1'000'000;
    std::string_view line;
    const auto there = lines_.next(line);
    if (!there || !*there) return there;
    const std::string where = lines_.where();
    KV_ASSIGN(const auto json, parse_json(line, where));
    KV_ASSIGN(const auto time, json_field<std::int64_t>(json, "timestamp", where));
    if (time < 0 || time > std::numeric_limits<std::int64_t>::max() / nanoseconds_per_unit)
      return fail(ErrorCode::rejected_input,
                  where + ": field 'timestamp' is out of range; give milliseconds from 0 on");
    KV_ASSIGN(const auto input, json_field<std::uint32_t>(json, "input_length", where));
    KV_ASSIGN(const auto output, json_field<std::uint32_t>(json, "output_length", where));
    KV_TRY(read_block_ids(json, "hash_ids", where, row.request.blocks));
    row.nanoseconds = time * nanoseconds_per_unit;
    row.request.row = ++row_;
    row.request.input_tokens = input;
    row.request.output_tokens = output;
    row.request.context =
        row.request.blocks.empty() ? own_context(row_) : digest_of(std::as_bytes(std::span(row.request.blocks))).low;
    // Which of the two is wrong is unknown. A row without blocks says nothing about them.
    const std::uint64_t blocks = (input + trace_block_tokens - 1) / trace_block_tokens;
    if (input == 0)
      row.dropped = drop_reason::no_input;
    else if (!row.request.blocks.empty() && row.request.blocks.size() != blocks)
      row.dropped = drop_reason::blocks_of_another_length;
    return true;
  }

 private:
  LineSource lines_;
  std::uint64_t row_ = 0;
};

}  // namespace

bool is_mooncake(std::string_view first_line) {
  const auto json = parse_json(first_line, "");
  return json && json->is_object() && json->contains("hash_ids") && !json->contains("chat_id");
}

Expected<std::unique_ptr<RowSource>> open_mooncake(Stream stream, const std::string& name, const TraceOptions&) {
  return std::make_unique<MooncakeRows>(LineSource(std::move(stream), name));
}

}  // namespace kvantage::inline trace
