// Encodings, numbers and times that a reader may take for others.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/app/hostile_models.h"
#include "tests/app/hostile_runs.h"
#include "tests/app/hostile_traces.h"
#include "tests/app/hostile_workloads.h"

namespace kvantage::test::hostile {

/// ASCII as UTF-16 with its mark, the low byte first.
inline std::string utf16(const std::string& text) {
  std::string wide("\xff\xfe");
  for (const char c : text) (wide += c) += '\0';
  return wide;
}

inline std::string head_with(const std::string& field) {
  return R"({"format":"kvantage-workload","version":1,"name":"n",)" + field + "}";
}

inline void add_encodings(Rows& rows) {
  // says: of the refusal; empty: the file is read.
  const auto row = [&](const char* name, const char* file, const std::string& bytes, const std::string& says) {
    rows.push_back(
        {name, workload_with(file, [=] { return bytes; }), {"workload", "check", "@"}, {says.empty() ? 0 : 3}, says});
  };
  const std::string head = workload_head, context = R"({"id":"c","text":"a"})";
  row("workload.json: a byte-order mark", "workload.json", "\xef\xbb\xbf" + head, "");
  row("workload.json: UTF-16", "workload.json", utf16(head), "workload.json: is UTF-16");
  row("workload.json: more behind a NUL", "workload.json", head + std::string("\0{\"seed\":-1}", 12), "is NUL");
  row("workload.json: a field twice", "workload.json", head_with(R"("format":"x")"), "is 'x' version 1");
  row("workload.json: a name that is written backwards", "workload.json",
      "{\"format\":\"kvantage-workload\",\"version\":1,\"name\":\"a\xe2\x80\xae"
      "b\"}",
      "holds a character that no name may hold");
  row("contexts.jsonl: lines that end with CR LF", "contexts.jsonl", context + "\r\n", "");
  row("contexts.jsonl: UTF-16", "contexts.jsonl", utf16(context), "contexts.jsonl:1: is UTF-16");
  row("contexts.jsonl: half a pair of UTF-16", "contexts.jsonl", R"({"id":"c","text":"\ud800"})", "surrogate");
  row("contexts.jsonl: a slash in two bytes", "contexts.jsonl", "{\"id\":\"c\",\"text\":\"\xc0\xaf\"}",
      "byte 19 is not UTF-8");
  row("contexts.jsonl: 300 objects in one another", "contexts.jsonl",
      repeated("{\"id\":", 300) + "1" + repeated("}", 300), "nested too deeply");
  const auto trace = [&](const char* name, const std::string& bytes, const char* says) {
    rows.push_back({name, one_file("t", [=] { return bytes; }), {"trace", "info", "@/t"}, {3}, says});
  };
  trace("trace: UTF-16", utf16(mooncake_row(0, "[1]", 1)), "is UTF-16");
  trace("trace: gzip", std::string("\x1f\x8b\x08", 3) + std::string(100, '\0'), "compressed with gzip");
  trace("trace: a zip archive, as .npz is", std::string("PK\x03\x04", 4) + std::string(100, '\0'), "is a zip archive");
  trace("trace: NULs alone", std::string(1000, '\0'), "has 16 of its 24 bytes");
  trace("azure: quotes that do not close",
        "TIMESTAMP,ContextTokens,GeneratedTokens\n\"2023-11-16 18:17:03,1,10\n" + std::string(1'000'000, 'x'),
        "quotes do not close");
  const auto text = [&](const char* name, const QStringList& words) {
    rows.push_back({name, one_file("t", [] { return std::string("a\xff"); }), words, {3}, "t: is not UTF-8"});
  };
  const QString model = text_of(model_directory());
  text("tokenize: half a letter", {"tokenize", model, "--text-file", "@/t"});
  text("kept: half a letter", {"kept", "--model", model, "--text-file", "@/t"});
  text("model generate: half a letter", {"model", "generate", model, "--prompt-file", "@/t"});
  const auto settings = [&](const char* name, const std::string& bytes, const char* says) {
    rows.push_back({name, one_file("s.yaml", [=] { return bytes; }), {"session", "import", "@/s.yaml"}, {3}, says});
  };
  settings("settings of LMCache: a call of Python", "local_cpu: !!python/object/apply:os.system [\"id\"]\n",
           "a tag (!) is not read");
  settings("settings of LMCache: more behind a NUL", std::string("local_cpu: true\n\0\n", 18),
           "control characters are not allowed");
}

inline void add_numbers(Rows& rows) {
  const auto workload = [&](const std::string& name, const char* file, const std::string& text, const char* says) {
    rows.push_back({name, workload_with(file, [=] { return text; }), {"workload", "check", "@"}, {3}, says});
  };
  for (const auto& [seed, says] :
       std::vector<std::pair<const char*, const char*>>{{"NaN", "invalid literal"},
                                                        {"1e400", "number overflow parsing '1e400'"},
                                                        {"1.0", "field 'seed' is not a whole number"},
                                                        {"-1", "field 'seed' is out of range"},
                                                        {"18446744073709551616", "field 'seed' is not a whole number"},
                                                        {"\"1\"", "field 'seed' has the wrong type"}})
    workload(std::string("workload.json: a seed of ") + seed, "workload.json",
             head_with(std::string("\"seed\":") + seed), says);
  workload("workload.json: a request in 10^320 seconds", "workload.json",
           head_with(R"("arrivals":{"requests_per_second":1e-320})"), "field 'requests_per_second' is out of range");
  workload("schedule.jsonl: time that goes backwards", "schedule.jsonl",
           "{\"arrival_seconds\":5,\"context\":\"c\"}\n{\"arrival_seconds\":1,\"context\":\"c\"}\n",
           "is earlier than the line above");
  workload("schedule.jsonl: 10^308 seconds", "schedule.jsonl", R"({"arrival_seconds":1e308,"context":"c"})",
           "field 'arrival_seconds' is out of range");
  workload("questions.jsonl: 2^53 + 1 tokens", "questions.jsonl",
           R"({"context":"c","question":"q","gold":"g","max_answer_tokens":9007199254740993})",
           "field 'max_answer_tokens' is out of range");
  workload("session.json: alpha of 10^308", "session.json", R"({"policy":"lru","alpha":1e308})",
           "alpha: is above a billion");
  workload("session.json: a removed fraction of null", "session.json", R"({"removed_fractions":[null]})",
           "removed_fractions: nan is not");

  const auto trace = [&](const char* name, const std::string& text, const char* says, const QStringList& more = {}) {
    rows.push_back({name, one_file("t", [=] { return text; }), QStringList{"trace", "info", "@/t"} + more, {3}, says});
  };
  trace("mooncake: a time of 2^53 + 1", mooncake_row(9'007'199'254'740'993, "[1]", 1),
        "field 'timestamp' is out of range");
  trace("mooncake: a block of 2^64", mooncake_row(0, "[18446744073709551616]", 1),
        "field 'hash_ids' holds a value that is not a whole number");
  trace("mooncake: blocks in an object", mooncake_row(0, R"({"a":1})", 1), "field 'hash_ids' is not a list");
  trace("azure: the 99th of a 99th month", "TIMESTAMP,ContextTokens,GeneratedTokens\n9999-99-99 00:00:00,1,1\n",
        "is not a time between 1970 and 2199");
  trace("azure: not a number of tokens", "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03,nan,1\n",
        "ContextTokens 'nan' is not a whole number");
  trace("mapped: a time of 10^308", "a,b\n1e308,2\n-1e308,2\n", "'1e308' is no time from 0",
        {"--format", "mapped", "--map", "time=a,input=b"});
  trace("oracleGeneral: the next request is before the first",
        repeated(gguf_number(std::uint32_t{1}) + gguf_number(~std::uint64_t{0}) + gguf_number(~std::uint32_t{0}) +
                     gguf_number(std::numeric_limits<std::int64_t>::min()),
                 1000),
        "names a next request before the first", {"--format", "oracle-general"});
  trace("vscsi: ones", std::string(4096, '\xff'), "is of neither version of vscsi", {"--format", "vscsi"});
  const auto curve = [&](const char* name, const char* row, const char* says) {
    rows.push_back({name,
                    one_file("c.csv", [=] { return std::string("dataset,method,removed,quality,n\n") + row + "\n"; }),
                    {"profiles", "import", "@/c.csv", "--out", "@/o"},
                    {3},
                    says});
  };
  curve("curves: a quality of 1e999", "d,knorm,0.5,1e999,1", "quality '1e999' is not a number");
  curve("curves: 2^53 + 1 questions", "d,knorm,0.5,0.5,9007199254740993", "n is not a whole number");
  curve("curves: more removed than there is", "d,knorm,2,0.5,1", "2.0 removed: the removed fraction is not");
}

inline void add_hidden_sizes(Rows& rows) {
  const auto model = [&](const std::string& name, const std::string& header, const char* says) {
    rows.push_back({name,
                    [=](const path& folder) {
                      copy_config(folder);
                      save(folder / "model.safetensors", header_length(header.size()) + header);
                    },
                    {"model", "info", "@"},
                    {3},
                    says});
  };
  model("safetensors: data before its beginning", R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[-4,0]}})",
        "bad number in 'data_offsets'");
  model("safetensors: an end of 2^64",
        R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[18446744073709551612,18446744073709551616]}})",
        "bad number in 'data_offsets'");
  model("safetensors: more behind a NUL", std::string("{}\0{}", 5), "is NUL");
  const std::string empty =
      R"({"a":{"dtype":"F32","shape":[0,1073741824,1073741824,1073741824],"data_offsets":[0,0]}})";
  model("safetensors: 2^90 rows of nothing", empty, "has an invalid shape");
  rows.push_back({"method: weights of 2^90 rows of nothing",
                  [=](const path& folder) {
                    save(folder / "w.safetensors", header_length(empty.size()) + empty);
                    save(folder / "text", "The badge of Ada is 1 .");
                  },
                  {"kept", "--model", text_of(model_directory()), "--text-file", "@/text", "--removed", "0.5",
                   "--method", "kvzap(weights=@/w.safetensors)"},
                  {3},
                  "has an invalid shape"});
  for (const auto& [field, value, says] : std::vector<std::tuple<std::string, Json, std::string>>{
           {"hidden_size", std::int64_t{9'007'199'254'740'993}, "field 'hidden_size' must be"},
           {"num_hidden_layers", 1'000'000'000, "sizes are larger than those of any supported model"},
           {"rope_theta", 1e308, "field 'rope_theta' must be"},
           {"num_attention_heads", 0, "field 'num_attention_heads' must be"}})
    rows.push_back({"config.json: " + field + " of " + value.dump(),
                    [=](const path& folder) {
                      const std::string config = read_text_file(model_directory() / "config.json").value();
                      Json json = *parse_json(config, "config.json");
                      json[field] = value;
                      save(folder / "config.json", json.dump());
                      save(folder / "model.safetensors", header_length(2) + "{}");
                    },
                    {"model", "info", "@"},
                    {3},
                    says});
  for (const char* id : {"2000000000", "-1", "1.5"})
    rows.push_back({std::string("tokenizer: an id of ") + id,
                    [=](const path& folder) {
                      save(folder / "tokenizer.json",
                           std::string(R"({"model":{"type":"BPE","vocab":{"a":0,"b":)") + id + R"(},"merges":[]}})");
                      save(folder / "text", "ab");
                    },
                    {"tokenize", "@", "--text-file", "@/text"},
                    {3},
                    "token 'b' has no usable id"});
}

/// Runs whose digest fits and whose times and counts do not.
inline void add_impossible_runs(Rows& rows) {
  const auto report_of = [&](const char* name, const std::function<void(RunWriter&)>& fill) {
    rows.push_back({name,
                    [=](const path& folder) {
                      RunWriter writer;
                      fill(writer);
                      writer.save_database(folder);
                    },
                    {"report", "--db", "@/r.db"},
                    {0}});
  };
  const auto changed = [](const char* field, const Json& value) {
    return [=](RunWriter& writer) {
      for (std::size_t i = 0; i < 5; ++i) {
        Json event = event_of("request.finished");
        Json& record = event["data"]["record"];
        record["id"] = i + 1;
        (record["timing"].contains(field) ? record["timing"] : record)[field] = value;
        writer.add(event);
      }
    };
  };
  report_of("run: time that goes backwards", [](RunWriter& writer) {
    const Json event = event_of("request.finished");
    writer.add(event, std::int64_t{1} << 62).add(event, 5).add(event, -5);
  });
  report_of("run: times of -10^300", changed("ttft_service_seconds", -1e300));
  report_of("run: times of 10^308", changed("ttft_service_seconds", 1e308));
  report_of("run: 2^64 - 1 bytes of each request", changed("bytes_loaded", ~std::uint64_t{0}));
  report_of("run: 2^31 - 1 tokens of each request", changed("context_tokens", 2'147'483'647));
  rows.push_back({"run: an id that leads out of the folder",
                  one_file("r",
                           [] {
                             const std::string id = R"("run_id":"r")";
                             std::string text = RunWriter().text();
                             text.replace(text.find(id), id.size(), R"("run_id":"../../r")");
                             text.resize(text.find('\n') + 1);
                             return text + Json{{"digest", digest_of(text).hex()}, {"events", 0}}.dump() + "\n";
                           }),
                  {"runs", "import", "@/r", "--db", "@/r.db", "--quiet"},
                  {3},
                  "run_id: the name '../../r' begins with a dot"});
}

}  // namespace kvantage::test::hostile
