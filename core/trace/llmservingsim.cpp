// Workloads of LLMServingSim (Cho et al. 2024; github.com/casys-kaist/LLMServingSim): JSON lines {"input_toks",
// "output_toks", "arrival_time_ns", "input_tok_ids", ...}; a line with "sub_requests" is a session of chained calls,
// {"session_id", "arrival_time_ns", "sub_requests": [{"input_toks", "output_toks", "tool_duration_ns"}]}. Version 1 had
// the first three as a table separated by tabs. Prefix blocks are made of the token ids, 16 each, where a trace has
// them. When a call of a session follows is known but for the time of the model: it arrives at the session's time and
// the tools' times before it.
#include <deque>

#include "core/base/digest.h"
#include "core/base/json.h"
#include "core/trace/civil_time.h"
#include "core/trace/csv_rows.h"
#include "core/trace/json_rows.h"
#include "core/trace/line_source.h"
#include "core/trace/row_source.h"

namespace kvantage::inline trace {
namespace {

constexpr std::size_t serving_block_tokens = 16;

class ServingLines final : public RowSource {
 public:
  ServingLines(LineSource lines, bool has_blocks, bool has_sessions)
      : lines_(std::move(lines)), has_blocks_(has_blocks), has_sessions_(has_sessions) {}

  Expected<bool> next(TraceRow& row) override {
    while (calls_.empty()) {
      std::string_view line;
      const auto there = lines_.next(line);
      if (!there || !*there) return there;
      KV_TRY(read_line(line));
    }
    row = std::move(calls_.front());
    calls_.pop_front();
    row.request.row = ++row_;
    if (row.request.context == 0) row.request.context = own_context(row_);
    return true;
  }
  void refine(TraceFacts& facts) const override {
    facts.names_blocks = has_blocks_;
    facts.names_contexts = has_sessions_;
    facts.block_tokens = serving_block_tokens;
  }

 private:
  Status read_line(std::string_view line) {
    const std::string where = lines_.where();
    KV_ASSIGN(const auto json, parse_json(line, where));
    KV_ASSIGN(const auto arrival, time_field(json, "arrival_time_ns", where, 1, "nanoseconds"));
    if (!json.contains("sub_requests")) return add_call(json, where, arrival, 0);
    KV_ASSIGN(const auto session, json_field<std::string>(json, "session_id", where));
    KV_ASSIGN(const auto calls, json_list(json, "sub_requests", where));
    const std::uint64_t context = digest_of(std::string_view(session)).low;
    std::int64_t time = arrival;
    for (std::size_t i = 0; i < calls->size(); ++i) {
      const Json& call = (*calls)[i];
      const std::string place = where + ": sub_requests[" + std::to_string(i) + "]";
      KV_TRY(add_call(call, place, time, context));
      if (!call.contains("tool_duration_ns")) continue;
      KV_ASSIGN(const auto tool, time_field(call, "tool_duration_ns", place, 1, "nanoseconds"));
      time += std::min(tool, latest_time - time);
    }
    return {};
  }
  Status add_call(const Json& json, const std::string& where, std::int64_t time, std::uint64_t context) {
    KV_ASSIGN(const auto input, json_field<std::uint32_t>(json, "input_toks", where));
    KV_ASSIGN(const auto output, json_field<std::uint32_t>(json, "output_toks", where));
    TraceRow row;
    row.nanoseconds = time;
    row.request.input_tokens = input;
    row.request.output_tokens = output;
    row.request.context = context;
    if (const auto ids = json.find("input_tok_ids"); has_blocks_ && ids != json.end() && ids->is_array())
      row.request.blocks = blocks_of_token_ids(*ids, serving_block_tokens);
    if (input == 0) row.dropped = drop_reason::no_input;
    calls_.push_back(std::move(row));
    return {};
  }

  LineSource lines_;
  bool has_blocks_, has_sessions_;
  std::deque<TraceRow> calls_;  // of one line
  std::uint64_t row_ = 0;
};

class ServingTable final : public RowSource {
 public:
  ServingTable(CsvRows rows, std::size_t input, std::size_t output, std::size_t time)
      : rows_(std::move(rows)), input_(input), output_(output), time_(time) {}

  Expected<bool> next(TraceRow& row) override {
    const auto there = rows_.next();
    if (!there || !*there) return there;
    const auto time = parse_rounded_time(rows_.field(time_), 1);
    if (!time) return rows_.refuse(time_, "is not a time in nanoseconds from 0 to 9 * 10^18; correct it");
    row.nanoseconds = *time;
    KV_TRY(read_lengths(rows_, input_, output_, row));
    return true;
  }
  void refine(TraceFacts& facts) const override {
    facts.names_blocks = facts.names_contexts = false;
    facts.block_tokens = serving_block_tokens;
  }

 private:
  CsvRows rows_;
  std::size_t input_, output_, time_;
};

}  // namespace

bool is_llmservingsim(std::string_view first_line) {
  if (!first_line.starts_with('{')) {
    const auto header = header_columns(first_line);
    return csv_column(header, "input_toks") && csv_column(header, "output_toks");
  }
  const auto json = parse_json(first_line, "");
  return json && json->is_object() && (json->contains("input_toks") || json->contains("sub_requests"));
}

Expected<std::unique_ptr<RowSource>> open_llmservingsim(Stream stream, const std::string& name, const TraceOptions&) {
  KV_ASSIGN(const auto first, first_line_of(stream, name));
  if (!first.empty() && !first.starts_with('{')) {
    KV_ASSIGN(auto rows, CsvRows::open(std::move(stream), name));
    const auto input = rows.column("input_toks"), output = rows.column("output_toks"),
               time = rows.column("arrival_time_ns");
    for (const auto* column : {&input, &output, &time}) KV_TRY(*column);
    return std::make_unique<ServingTable>(std::move(rows), *input, *output, *time);
  }
  const auto json = parse_json(first, name);
  const bool is_object = json && json->is_object();
  return std::make_unique<ServingLines>(LineSource(std::move(stream), name),
                                        is_object && json->contains("input_tok_ids"),
                                        is_object && json->contains("sub_requests"));
}

}  // namespace kvantage::inline trace
