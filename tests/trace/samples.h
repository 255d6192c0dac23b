// A few rows of each format, and reading a trace out of memory to its end.
#pragma once

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "core/trace/trace.h"

namespace kvantage::test {

inline std::string mooncake_line(std::uint64_t milliseconds, std::uint64_t input_tokens, const std::string& ids) {
  return R"({"timestamp": )" + std::to_string(milliseconds) + R"(, "input_length": )" + std::to_string(input_tokens) +
         R"(, "output_length": 7, "hash_ids": [)" + ids + "]}\n";
}

inline std::string agent_line(std::uint64_t microseconds, const std::string& input) {
  return R"({"timestamp": )" + std::to_string(microseconds) + R"(, "input": ")" + input +
         R"(", "output": "ok", "session_id": "s"})" + "\n";
}

inline std::string oracle_record(std::uint32_t seconds, std::uint64_t object, std::uint32_t bytes,
                                 std::int64_t next_request) {
  std::string record;
  const auto add = [&](std::uint64_t number, int size) {
    for (int i = 0; i < size; ++i) record += static_cast<char>(number >> (8 * i) & 0xff);
  };
  add(seconds, 4);
  add(object, 8);
  add(bytes, 4);
  add(static_cast<std::uint64_t>(next_request), 8);
  return record;
}

/// Of version 2.
inline std::string vscsi_record(std::uint64_t microseconds, std::uint32_t bytes, std::uint64_t block) {
  std::string record;
  const auto add = [&](std::uint64_t number, int size) {
    for (int i = 0; i < size; ++i) record += static_cast<char>(number >> (8 * i) & 0xff);
  };
  add(42, 2);
  add(2 << 8, 2);
  add(1, 4);
  add(bytes, 4);
  add(1, 4);
  add(block, 8);
  add(microseconds, 8);
  add(3, 8);
  return record;
}

inline const std::map<std::string, std::string>& samples() {
  static const std::map<std::string, std::string> texts{
      {"mooncake",
       "{\"timestamp\": 27482, \"input_length\": 1300, \"output_length\": 52, \"hash_ids\": [46, 47, 2353]}\n"
       "{\"timestamp\": 30000, \"input_length\": 513, \"output_length\": 1, \"hash_ids\": [46, 9]}\n"
       "{\"timestamp\": 30535, \"input_length\": 1300, \"output_length\": 26, \"hash_ids\": [46, 47, 2353]}\n"},
      {"azure",
       "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-12-31 18:17:03.9799600,4808,10\n"
       "2023-12-31 18:17:04.0319600,3180,8\n2024-01-01 18:17:04,110,27"},
      {"burstgpt",
       "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,ChatGPT,472,18,490,Conversation log\n"
       "45,ChatGPT,1087,0,1087,Conversation log\n118.5,GPT-4,417,276,693,API log\n"},
      {"lmcache-agent",
       "{\"timestamp\": 1760995776640783, \"input\": \"user: how far?\", \"output\": \"far\", \"session_id\": \"1a\"}\n"
       "{\"timestamp\": 1760995773940169, \"input\": \"user: how\", \"output\": null, \"session_id\": \"1a\"}\n"
       "{\"timestamp\": 1760995778085419, \"input\": \"\", \"output\": \"\\u00e9\", \"session_id\": \"2b\"}\n"},
      {"oracle-general",
       oracle_record(100, 7, 4096, 3) + oracle_record(101, 8, 0, -1) + oracle_record(101, 7, 512, -1)},
      {"qwen-bailian",
       R"({"chat_id": 1, "parent_chat_id": -1, "timestamp": 61.114, "input_length": 40, "output_length": 9, )"
       R"("type": "text", "turn": 1, "hash_ids": [4, 5, 6]})"
       "\n"
       R"({"chat_id": 2, "parent_chat_id": 1, "timestamp": 62.5, "input_length": 64, "output_length": 3, )"
       R"("type": "text", "turn": 2, "hash_ids": [4, 5, 6, 7]})"
       "\n"},
      {"vidur",
       "arrived_at,num_prefill_tokens,num_decode_tokens\n0.0,374,44\n5.8926549999999995,396,109\n"
       "4.541877,879,55\n"},
      {"llmservingsim",
       R"({"input_toks": 20, "output_toks": 5, "arrival_time_ns": 1000000000, "input_tok_ids": [1, 2, 3]})"
       "\n"
       R"({"session_id": "a", "arrival_time_ns": 4059740, "sub_requests": [{"input_toks": 14, "output_toks": 1, )"
       R"("tool_duration_ns": 127348767}, {"input_toks": 15, "output_toks": 2, "tool_duration_ns": 0}]})"
       "\n"},
      {"kv-cache-tester",
       R"({"id": "c", "models": ["m"], "block_size": 64, "requests": [{"t": 0.0, "type": "s", "in": 128, "out": 7, )"
       R"("hash_ids": [1, 2]}, {"t": 15.0, "type": "subagent", "requests": [{"t": 16.5, "type": "n", "in": 64, )"
       R"("out": 3, "hash_ids": [1]}]}, {"t": 186.0, "type": "n", "in": 192, "out": 9, "hash_ids": [1, 2, 3]}]})"},
      {"vscsi", vscsi_record(0, 4096, 7) + vscsi_record(1'500'000, 0, 8) + vscsi_record(2'000'000, 8192, 7)},
      {"mapped", "arrival_ms;prompt_tokens;completion_tokens;session_id\n1000;512;3;a\n3500;100;4;b\n3500;600;5;a\n"}};
  return texts;
}

struct ReadTrace {
  std::vector<TraceRequest> requests;
  TraceCounts counts;
  TraceFacts facts;
  std::string error;  // empty: read to the end
};

/// Messages begin with "t".
inline ReadTrace read_trace(const std::string& text, const TraceOptions& options = {}) {
  ReadTrace trace;
  const auto reader = open_trace(std::make_unique<std::istringstream>(text), "t", options);
  if (!reader) {
    trace.error = reader.error().message;
    return trace;
  }
  trace.facts = (*reader)->facts();
  for (;;) {
    auto request = (*reader)->next();
    trace.counts = (*reader)->counts();
    if (!request) trace.error = request.error().message;
    if (!request || !*request) return trace;
    trace.requests.push_back(std::move(**request));
  }
}

}  // namespace kvantage::test
