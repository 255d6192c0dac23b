// Hostile traces.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_set>
#include <vector>

#include "tests/app/hostile_workloads.h"
#include "tests/support/gguf_writer.h"

namespace kvantage::test::hostile {

inline std::string mooncake_row(std::size_t time, const std::string& blocks, std::size_t count) {
  return R"({"timestamp":)" + number(time) + R"(,"input_length":)" + number(512 * count) +
         R"(,"output_length":1,"hash_ids":)" + blocks + "}\n";
}

/// Numbers that all meet in one place of the standard library's table of so many.
inline std::vector<std::uint64_t> meeting_numbers(std::size_t count) {
  std::unordered_set<std::uint64_t> table;
  for (std::size_t i = 0; i < count; ++i) table.insert(i);
  std::vector<std::uint64_t> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back((i + 1) * table.bucket_count());
  return numbers;
}

/// A record of oracleGeneral.
inline std::string oracle_record(std::uint32_t seconds, std::uint64_t object, std::uint32_t bytes) {
  return gguf_number(seconds) + gguf_number(object) + gguf_number(bytes) + gguf_number(std::int64_t{-1});
}

inline void add_trace_lines(Rows& rows) {
  const QStringList info{"trace", "info", "@/t"};
  rows.push_back({"mooncake: an endless line",
                  one_file("t", [] { return "{\"hash_ids\":[" + repeated("1,", 20'000'000); }),
                  info,
                  {3}});
  rows.push_back({"mooncake: a line of 2,000,000 blocks",
                  one_file("t", [] { return mooncake_row(0, list_of(2'000'000, number), 2'000'000); }),
                  info,
                  {0}});
  rows.push_back({"mooncake: 60,000 rows of other blocks",
                  one_file("t",
                           [] {
                             return joined(60'000, "", [](auto i) {
                               return mooncake_row(i, list_of(8, [=](auto b) { return number(8 * i + b); }), 8);
                             });
                           }),
                  info,
                  {0}});
  rows.push_back({"mooncake: blocks that meet in a table",
                  one_file("t",
                           [] {
                             const auto numbers = meeting_numbers(400'000);
                             return joined(200, "", [&](auto row) {
                               return mooncake_row(
                                   row, list_of(2000, [&](auto b) { return number(numbers[2000 * row + b]); }), 2000);
                             });
                           }),
                  info,
                  {0}});
  rows.push_back({"azure: 300,000 lengths",
                  one_file("t",
                           [] {
                             return "TIMESTAMP,ContextTokens,GeneratedTokens\n" + joined(300'000, "\n", [](auto i) {
                                      return "2023-11-16 18:17:03," + number(1 + 7919 * i) + "," + number(i);
                                    });
                           }),
                  info,
                  {0}});
  rows.push_back({"azure: a header of 15,000,000 columns",
                  one_file("t", [] { return std::string(15'000'000, ','); }),
                  {"trace", "info", "@/t", "--format", "azure"},
                  {3}});
  rows.push_back({"burstgpt: 200,000 sessions",
                  one_file("t",
                           [] {
                             return "Timestamp,Request tokens,Response tokens,Session ID\n" +
                                    joined(200'000, "\n", [](auto i) { return number(i) + ",9,1,s" + number(i); });
                           }),
                  info,
                  {0}});
}

inline void add_traces(Rows& rows) {
  const QStringList info{"trace", "info", "@/t"};
  const auto records = [](std::size_t count, std::size_t objects) {
    return one_file("t", [=] {
      return joined(count, "", [=](auto i) {
        return oracle_record(static_cast<std::uint32_t>(i / 100), i % objects, static_cast<std::uint32_t>(i + 1));
      });
    });
  };
  rows.push_back({"oracleGeneral: 1,000,000 objects", records(1'000'000, 1'000'000), info, {0}});
  rows.push_back({"oracleGeneral: 512 MiB of nothing",
                  [](const path& folder) { save_sparse(folder / "t", "", gib / 48 * 24); },
                  info,
                  {0}});
  rows.push_back(
      {"lmcache-agent: a line of 15 MB",
       one_file("t",
                [] {
                  return filled(R"({"timestamp":1,"session_id":"s","input":"#","output":"o"})",
                                repeated("a b\\n", 3'000'000));
                }),
       {"trace", "import", "@/t", "--out", "@/out", "--quiet", "--probes", "0", "--model", text_of(model_directory())},
       {0}});
  rows.push_back({"arrivals of 500,000 requests",
                  [=](const path& folder) {
                    make_workload(folder / "w");
                    records(500'000, 500'000)(folder);
                  },
                  {"trace", "import", "@/t", "--out", "@/out", "--workload", "@/w", "--quiet"},
                  {0}});
  rows.push_back({"simulate: orders",
                  records(300'000, 200'000),
                  {"simulate", "@/t", "--quiet", "--capacity-blocks", "1000000", "--policy",
                   "lru,fifo,lfu,s3fifo,gdsf,sieve,w_tinylfu,arc"},
                  {0}});
}

}  // namespace kvantage::test::hostile
