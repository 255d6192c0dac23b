// Hostile workloads, data sets and texts.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "tests/app/hostile_inputs.h"
#include "tests/support/command_line.h"
#include "tests/support/test_model.h"

namespace kvantage::test::hostile {

constexpr const char* workload_head =
    R"({"format":"kvantage-workload","version":1,"name":"worst","licence":"x","arrivals":{"requests":2}})";

inline void make_workload(const path& folder) {
  save(folder / "workload.json", workload_head);
  save(folder / "contexts.jsonl", "{\"id\":\"c\",\"text\":\"The badge of Ada is 1 . The badge of Tom is 2 .\"}\n");
  save(folder / "questions.jsonl",
       "{\"context\":\"c\",\"question\":\"Of Ada ?\",\"gold\":\"1\"}\n"
       "{\"context\":\"c\",\"question\":\"Of Tom ?\",\"gold\":\"2\",\"split\":\"profile\"}\n");
}

/// With `file` as its text is.
inline std::function<void(const path&)> workload_with(const char* file, const std::function<std::string()>& text) {
  return [=](const path& folder) {
    make_workload(folder);
    save(folder / file, text());
  };
}

inline void add_workload_heads(Rows& rows) {
  const QStringList check{"workload", "check", "@"};
  const std::string head(workload_head, std::string_view(workload_head).size() - 1);
  rows.push_back(
      {"workload.json: lists of nothing",
       workload_with("workload.json", [=] { return head + ",\"x\":[" + repeated("[],", 4'000'000) + "0]}"; }),
       check,
       {3}});
  rows.push_back(
      {"workload.json: small members",
       workload_with("workload.json",
                     [=] {
                       return head + "," +
                              joined(1'000'000, ",", [](std::size_t i) { return quoted(number(i)) + ":1"; }) + "}";
                     }),
       check,
       {3}});
  rows.push_back({"workload.json: brackets",
                  workload_with("workload.json", [] { return std::string(15'000'000, '['); }),
                  check,
                  {3}});
  rows.push_back({"workload.json: the refused name again and again",
                  workload_with("workload.json",
                                [=] {
                                  return head + ",\"description\":\"" + repeated("\\\"seed\\\" ", 1'600'000) +
                                         "\",\"seed\":-1}";
                                }),
                  check,
                  {3}});
  rows.push_back({"session.json: lists",
                  workload_with("session.json",
                                [] { return "{\"methods\":" + list_of(3'000'000, [](auto) { return "1"; }) + "}"; }),
                  check,
                  {3}});
  rows.push_back({"session.json: options of a tier",
                  workload_with("session.json",
                                [] {
                                  return "{\"tiers\":[{\"name\":\"ssd\",\"budget_bytes\":5,\"options\":{" +
                                         joined(250'000, ",", [](auto i) { return quoted(number(i)) + ":\"x\""; }) +
                                         "}}]}";
                                }),
                  check,
                  {3}});
}

inline void add_workload_texts(Rows& rows) {
  const QStringList check{"workload", "check", "@"};
  rows.push_back({"contexts.jsonl: 300,000 lines",
                  workload_with("contexts.jsonl",
                                [] {
                                  return joined(300'000, "\n", [](auto i) {
                                    return R"({"id":"c)" + (i == 0 ? "" : number(i)) + R"(","text":"a"})";
                                  });
                                }),
                  check,
                  {0}});
  rows.push_back({"contexts.jsonl: escapes",
                  workload_with("contexts.jsonl",
                                [] { return filled(R"({"id":"c","text":"#"})", repeated("\\u0001", 8'000'000)); }),
                  check,
                  {0}});
  rows.push_back({"questions.jsonl: accepted answers",
                  workload_with("questions.jsonl",
                                [] {
                                  return R"({"context":"c","question":"q","gold":"g","other_golds":)" +
                                         list_of(1'500'000, [](auto) { return "\"a\""; }) + "}";
                                }),
                  check,
                  {0}});
  rows.push_back({"questions.jsonl: 200,000 about one context",
                  workload_with("questions.jsonl",
                                [] {
                                  return joined(200'000, "\n", [](auto i) {
                                    return R"({"context":"c","question":"q)" + number(i) + "\"}";
                                  });
                                }),
                  check,
                  {0}});
  rows.push_back({"schedule.jsonl: 300,000 lines",
                  workload_with("schedule.jsonl",
                                [] {
                                  return joined(300'000, "\n", [](auto i) {
                                    return R"({"arrival_seconds":)" + number(i) + R"(,"context":"c"})";
                                  });
                                }),
                  check,
                  {0}});
  for (const char* file : {"workload.json", "contexts.jsonl", "questions.jsonl", "schedule.jsonl", "session.json"})
    rows.push_back({std::string(file) + " of 4 GiB",
                    [=](const path& folder) {
                      make_workload(folder);
                      save_sparse(folder / file, "{", 4 * gib);
                    },
                    check,
                    {3}});
}

inline QStringList import_of(const char* file, const QStringList& more = {"--probes", "0"}) {
  return QStringList{"workload", "import", QString("@/%1").arg(file), "--out", "@/out", "--wording",
                     "bare",     "--quiet"} +
         more;
}

inline std::string squad_paragraph(const std::string& context, const std::string& answers) {
  return filled(R"({"context":"#","qas":[{"question":"q","answers":)", context) + answers + "}]}";
}

inline void add_imports(Rows& rows) {
  const auto answer = [](auto i) { return filled(R"({"text":"#"})", number(i)); };
  rows.push_back({"squad: different answers",
                  one_file("d.json",
                           [=] {
                             return R"({"data":[{"paragraphs":[)" + squad_paragraph("c", list_of(400'000, answer)) +
                                    "]}]}";
                           }),
                  import_of("d.json"),
                  {0}});
  rows.push_back({"squad: articles of one title",
                  one_file("d.json",
                           [=] {
                             return "{\"data\":" +
                                    list_of(60'000,
                                            [&](auto i) {
                                              return R"({"title":"t","paragraphs":[)" +
                                                     squad_paragraph(number(i), "[" + answer(0) + "]") + "]}";
                                            }) +
                                    "}";
                           }),
                  import_of("d.json"),
                  {0}});
  rows.push_back({"squad: a long title of many paragraphs",
                  one_file("d.json",
                           [=] {
                             return filled(R"({"data":[{"title":"#","paragraphs":)", std::string(1'000'000, 't')) +
                                    list_of(30'000,
                                            [&](auto i) { return squad_paragraph(number(i), "[" + answer(0) + "]"); }) +
                                    "}]}";
                           }),
                  import_of("d.json"),
                  {0}});
  rows.push_back({"longbench: short lines",
                  one_file("d.jsonl",
                           [] {
                             return joined(100'000, "\n", [](auto i) {
                               return R"({"context":"c)" + number(i) + R"(","input":"q","answers":["a"]})";
                             });
                           }),
                  import_of("d.jsonl"),
                  {0}});
  rows.push_back(
      {"longbench: lines of nothing",
       one_file("d.jsonl",
                [] { return R"({"context":"c","input":"q","answers":["a"]})" + repeated("\n[]", 1'500'000); }),
       import_of("d.jsonl"),
       {3}});
  rows.push_back({"qmsum: turns",
                  one_file("d.jsonl",
                           [] {
                             return "{\"meeting_transcripts\":" +
                                    list_of(200'000, [](auto) { return R"({"speaker":"a","content":"b"})"; }) +
                                    R"(,"general_query_list":[{"query":"q","answer":"a"}],"specific_query_list":[]})";
                           }),
                  import_of("d.jsonl"),
                  {0}});
  rows.push_back({"data set of 4 GiB",
                  [](const path& folder) { save_sparse(folder / "d.json", "{", 4 * gib); },
                  import_of("d.json"),
                  {3}});
}

inline void add_serving_settings(Rows& rows) {
  const QStringList import{"session", "import", "@/s.yaml"};
  const auto row = [&](const char* name, const std::function<std::string()>& text, std::vector<int> codes) {
    rows.push_back({std::string("settings of LMCache: ") + name,
                    [text](const path& folder) { save(folder / "s.yaml", text()); }, import, std::move(codes)});
  };
  row("billion laughs",
      [] {
        return "a0: &a0 [x,x]\n" + joined(5'000, "\n", [](auto i) {
                 return "a" + number(i + 1) + ": &a" + number(i + 1) + " [*a" + number(i) + ",*a" + number(i) + "]";
               });
      },
      {3});
  row("brackets", [] { return std::string(260'000, '['); }, {3});
  row("keys", [] { return joined(20'000, "\n", [](auto i) { return "k" + number(i) + ": 1"; }); }, {3});
  row("keys that are near misses",
      [] { return "local_cpu: true\n" + joined(9'000, "\n", [](auto i) { return "local_cpu_" + number(i) + ": 1"; }); },
      {0});
  row("directives", [] { return repeated("%TAG !a! tag:x,2000:\n", 12'000) + "---\na: 1\n"; }, {3});
  row("blanks", [] { return "local_cpu:" + std::string(260'000, ' ') + "true"; }, {0});
  row("4 GiB", [] { return std::string(); }, {3});
  rows.back().make = [](const path& folder) { save_sparse(folder / "s.yaml", "a: 1\n", std::uintmax_t{4} << 30); };
}

inline void add_texts(Rows& rows) {
  const QString model = text_of(model_directory());
  // Every passage occurs twice, far apart: each search for another one reads all of the text.
  rows.push_back({"probes: a text that repeats itself",
                  one_file("d.jsonl",
                           [] {
                             const std::string half = joined(
                                 40'000, ". ", [](auto i) { return "the badge " + number(i) + " of the man is red"; });
                             return filled(R"({"context":"#.","input":"q","answers":["a"]})", half + ". " + half);
                           }),
                  import_of("d.jsonl", {}),
                  {0, 3}});
  rows.push_back({"own text: words without an end",
                  one_file("t.txt", [] { return repeated("a ", 1'000'000); }),
                  import_of("t.txt", {"--probes", "0", "--model", model}),
                  {0}});
  rows.push_back({"own text: a word without an end",
                  one_file("t.txt", [] { return std::string(6'000'000, 'a'); }),
                  import_of("t.txt", {"--probes", "0", "--model", model}),
                  {0}});
  rows.push_back({"own text: paragraphs",
                  one_file("t.txt", [] { return repeated("a\n\n", 5'000'000); }),
                  import_of("t.txt", {"--probes", "0", "--model", model}),
                  {3}});
  rows.push_back({"own text of 4 GiB",
                  [](const path& folder) { save_sparse(folder / "t.txt", "a", 4 * gib); },
                  import_of("t.txt", {"--model", model}),
                  {3}});
}

}  // namespace kvantage::test::hostile
