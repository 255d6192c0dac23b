// Traces of Qwen on Aliyun Bailian (Wang et al., ATC 2025; github.com/alibaba-edu/qwen-bailian-usagetraces-anon): JSON
// lines with chat_id, parent_chat_id (-1: none), timestamp in seconds, input_length and output_length in tokens, type,
// turn, and hash_ids, the ids of the prompt's prefix blocks of 16 tokens. The conversation that a chat belongs to is
// its context.
#include <algorithm>

#include "core/base/digest.h"
#include "core/base/json.h"
#include "core/base/seeded_hash.h"
#include "core/trace/json_rows.h"
#include "core/trace/line_source.h"
#include "core/trace/row_source.h"

namespace kvantage::inline trace {
namespace {

constexpr std::uint64_t bailian_block_tokens = 16;

/// The first chat of each conversation, by chat. Memory grows with the chats of a trace.
class Conversations {
 public:
  static constexpr std::size_t max_chats = std::size_t{1} << 24;

  /// A parent that the trace did not have begins a conversation. Nothing where there are too many.
  std::optional<std::int64_t> root_of(std::int64_t chat, std::int64_t parent) {
    std::int64_t root = chat;
    if (parent >= 0) {
      const auto known = roots_.find(parent);
      root = known == roots_.end() ? parent : known->second;
    }
    if (roots_.size() >= max_chats) return {};
    roots_.try_emplace(chat, root);
    return root;
  }

 private:
  SeededMap<std::int64_t, std::int64_t> roots_;
};

class QwenBailianRows final : public RowSource {
 public:
  explicit QwenBailianRows(LineSource lines) : lines_(std::move(lines)) {}

  Expected<bool> next(TraceRow& row) override {
    std::string_view line;
    const auto there = lines_.next(line);
    if (!there || !*there) return there;
    const std::string where = lines_.where();
    KV_ASSIGN(const auto json, parse_json(line, where));
    KV_ASSIGN(const auto time, time_field(json, "timestamp", where, 1'000'000'000, "seconds"));
    KV_ASSIGN(const auto input, json_field<std::uint32_t>(json, "input_length", where));
    KV_ASSIGN(const auto output, json_field<std::uint32_t>(json, "output_length", where));
    KV_ASSIGN(const auto chat, json_field<std::int64_t>(json, "chat_id", where));
    KV_ASSIGN(const auto parent, json_field_or<std::int64_t>(json, "parent_chat_id", where, -1));
    KV_TRY(read_block_ids(json, "hash_ids", where, row.request.blocks));
    const auto root = conversations_.root_of(chat, parent);
    if (!root)
      return fail(ErrorCode::rejected_input, where + ": the trace has more than " +
                                                 std::to_string(Conversations::max_chats) +
                                                 " chats; read fewer requests with --limit");
    row.nanoseconds = time;
    row.request.row = ++row_;
    row.request.input_tokens = input;
    row.request.output_tokens = output;
    row.request.context = own_context(static_cast<std::uint64_t>(*root));
    // Type and turn are the category of a request; conversations of more turns than that are alike.
    constexpr std::int64_t most_turns = 10;
    KV_ASSIGN(const auto type, json_field_or<std::string>(json, "type", where, std::string()));
    KV_ASSIGN(const auto turn, json_field_or<std::int64_t>(json, "turn", where, 0));
    if (!type.empty())
      row.request.workload = digest_of(type + "_" + std::to_string(std::min(turn, most_turns))).low | 1;
    row.dropped = unusable_blocks(input, row.request.blocks.size(), bailian_block_tokens);
    return true;
  }
  void refine(TraceFacts& facts) const override { facts.block_tokens = bailian_block_tokens; }

 private:
  LineSource lines_;
  Conversations conversations_;
  std::uint64_t row_ = 0;
};

}  // namespace

bool is_qwen_bailian(std::string_view first_line) {
  const auto json = parse_json(first_line, "");
  return json && json->is_object() && json->contains("hash_ids") && json->contains("chat_id");
}

Expected<std::unique_ptr<RowSource>> open_qwen_bailian(Stream stream, const std::string& name, const TraceOptions&) {
  return std::make_unique<QwenBailianRows>(LineSource(std::move(stream), name));
}

}  // namespace kvantage::inline trace
