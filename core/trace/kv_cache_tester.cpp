// Traces of kv-cache-tester (github.com/callanjfox/kv-cache-tester, traces/): one JSON file for each conversation of a
// coding agent, {"id", "block_size", "requests": [{"t": seconds, "type", "in", "out", "hash_ids"}]}. An entry of the
// type "subagent" has requests of its own, which are a conversation of their own at its time. A file is read whole.
#include <algorithm>

#include "core/base/digest.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/trace/json_rows.h"
#include "core/trace/row_source.h"

namespace kvantage::inline trace {
namespace {

constexpr int deepest_subagent = 8;

class TesterRows final : public RowSource {
 public:
  TesterRows(std::vector<TraceRow> rows, std::uint64_t block_tokens)
      : rows_(std::move(rows)), block_tokens_(block_tokens) {}

  Expected<bool> next(TraceRow& row) override {
    if (next_ == rows_.size()) return false;
    row = std::move(rows_[next_]);
    row.request.row = ++next_;
    return true;
  }
  void refine(TraceFacts& facts) const override { facts.block_tokens = block_tokens_; }

 private:
  std::vector<TraceRow> rows_;
  std::uint64_t block_tokens_;
  std::size_t next_ = 0;
};

/// Of the requests of a conversation and of those that its agents begin.
class TesterReader {
 public:
  TesterReader(std::string name, std::uint64_t block_tokens) : name_(std::move(name)), block_tokens_(block_tokens) {}

  Status add(const Json& requests, const std::string& place, const std::string& conversation, std::int64_t begin,
             int depth) {
    const std::uint64_t context = digest_of(std::string_view(conversation)).low;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      // Its number stands for a line: the file has one.
      const std::string where =
          name_ + ":" + std::to_string(rows_.size() + 1) + ": " + place + "[" + std::to_string(i) + "]";
      const Json& json = requests[i];
      KV_ASSIGN(const auto time, time_field(json, "t", where, 1'000'000'000, "seconds"));
      const std::int64_t arrival = std::max(begin, time);  // a subagent's times may begin at 0
      if (json.contains("requests")) {
        if (depth == deepest_subagent)
          return fail(ErrorCode::rejected_input,
                      where + ": agents begin agents more than 8 deep; remove the innermost");
        KV_ASSIGN(const auto inner, json_list(json, "requests", where));
        KV_TRY(add(*inner, place + "[" + std::to_string(i) + "].requests", conversation + "/" + std::to_string(i),
                   arrival, depth + 1));
        continue;
      }
      KV_ASSIGN(const auto input, json_field<std::uint32_t>(json, "in", where));
      KV_ASSIGN(const auto output, json_field_or<std::uint32_t>(json, "out", where, 0));
      TraceRow row;
      KV_TRY(read_block_ids(json, "hash_ids", where, row.request.blocks));
      row.nanoseconds = arrival;
      row.request.input_tokens = input;
      row.request.output_tokens = output;
      row.request.context = context;
      row.dropped = unusable_blocks(input, row.request.blocks.size(), block_tokens_);
      rows_.push_back(std::move(row));
    }
    return {};
  }
  std::vector<TraceRow> take() { return std::move(rows_); }

 private:
  std::string name_;
  std::uint64_t block_tokens_;
  std::vector<TraceRow> rows_;
};

Expected<std::string> whole_text(std::istream& stream, const std::string& name) {
  std::string text;
  constexpr std::size_t piece = std::size_t{1} << 20;
  for (std::size_t held = 0;; held = text.size()) {
    text.resize(held + piece);
    stream.read(text.data() + held, static_cast<std::streamsize>(piece));
    text.resize(held + static_cast<std::size_t>(stream.gcount()));
    if (stream.bad()) return fail(ErrorCode::rejected_input, name + ":1: cannot be read further; check the device");
    if (!stream) return text;
    if (text.size() > max_json_file_bytes)
      return fail(ErrorCode::rejected_input, name + ":1: is larger than 256 MiB; give a smaller conversation");
  }
}

}  // namespace

bool is_kv_cache_tester(std::string_view head) {
  const std::size_t first = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return first != std::string_view::npos && head[first] == '{' &&
         head.find("\"block_size\"") != std::string_view::npos && head.find("\"requests\"") != std::string_view::npos;
}

Expected<std::unique_ptr<RowSource>> open_kv_cache_tester(Stream stream, const std::string& name, const TraceOptions&) {
  KV_ASSIGN(const auto text, whole_text(*stream, name));
  std::string_view json_text = text;
  if (json_text.starts_with("\xEF\xBB\xBF")) json_text.remove_prefix(3);
  const std::string where = name + ":1";
  KV_ASSIGN(const auto json, parse_json(json_text, where));
  KV_ASSIGN(const auto block_tokens, json_field<std::uint32_t>(json, "block_size", where));
  KV_ASSIGN(const auto id, json_field_or<std::string>(json, "id", where, name));
  KV_ASSIGN(const auto requests, json_list(json, "requests", where));
  if (block_tokens == 0 || block_tokens > 65'536)
    return fail(ErrorCode::rejected_input, where + ": field 'block_size' is out of range; give 1 to 65536 tokens");
  TesterReader reader(name, block_tokens);
  KV_TRY(reader.add(*requests, "requests", id, 0, 0));
  return std::make_unique<TesterRows>(reader.take(), block_tokens);
}

}  // namespace kvantage::inline trace
