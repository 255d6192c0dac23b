// Commands that other rows do not call, each on the worst input that it is known to read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/files.h"
#include "core/base/json.h"
#include "tests/app/hostile_runs.h"
#include "tests/support/test_model.h"
#include "tests/support/zip_writer.h"

namespace kvantage::test::hostile {

/// A profile of so many contexts, each uncompressed and with half of its tokens removed.
inline void save_curves(const path& file, std::size_t contexts) {
  const Json profile =
      *parse_json(read_text_file(source_directory() / "resources/profiles/quickstart.profile.json").value(), "profile");
  Json cell = profile.at("cells").at(0), cells = Json::array();
  for (std::size_t i = 0; i < contexts; ++i) {
    cell["context"] = digest_of(number(i)).hex();
    cell["context_id"] = number(i);
    for (const char* method : {"none", "keydiff"}) {
      cell["point"]["method"] = method;
      cell["point"]["removed_fraction"] = method == std::string("none") ? 0.0 : 0.5;
      cells.push_back(cell);
    }
  }
  save(file, Json{{"format", profile.at("format")},
                  {"version", profile.at("version")},
                  {"scope", profile.at("scope")},
                  {"cells", std::move(cells)}}
                 .dump());
}

/// The tests' model, whose final norm is not a number.
inline void save_model_of_no_numbers(const path& folder) {
  std::filesystem::copy(model_directory(), folder, std::filesystem::copy_options::recursive);
  std::string weights = read_text_file(folder / "model.safetensors").value();
  std::uint64_t header = 0;
  for (std::size_t i = 8; i-- > 0;) header = header << 8 | static_cast<unsigned char>(weights[i]);
  const Json json = *parse_json(weights.substr(8, header), "header");
  const auto part = [&](std::size_t end) {
    return weights.begin() + 8 +
           static_cast<std::ptrdiff_t>(header +
                                       json.at("model.norm.weight").at("data_offsets").at(end).get<std::uint64_t>());
  };
  std::fill(part(0), part(1), '\xff');
  std::filesystem::remove(folder / "model.safetensors");
  save(folder / "model.safetensors", weights);
}

inline void add_run_commands(Rows& rows) {
  const auto row = [&](const char* name, const std::function<RunWriter()>& run, const QStringList& words,
                       std::vector<int> codes) {
    rows.push_back({name, [run](const path& folder) { run().save_database(folder); },
                    words + QStringList{"--db", "@/r.db", "--quiet"}, std::move(codes)});
  };
  row("replay: 20,000 tokens",
      [] {
        RunWriter run;
        const Json token = event_of("token.emitted");
        for (int i = 0; i < 20'000; ++i) run.add(token);
        return run;
      },
      {"replay", "r"}, {0});
  row("export: 100,000 tiers",
      [] {
        RunWriter run(R"({"settings":{"tiers":)" +
                      list_of(100'000, [](auto i) { return R"({"name":")" + number(i) + R"("})"; }) + "}}");
        return run.add(event_of("token.emitted"));
      },
      {"export", "r", "--for", "lmcache"}, {3});
  row("runs share: settings of small values", [] { return RunWriter("{\"a\":[" + repeated("[],", 3'000'000) + "0]}"); },
      {"runs", "share", "r", "--out", "@/page.html"}, {3});
}

inline void add_other_commands(Rows& rows) {
  const QString model = text_of(model_directory());
  rows.push_back(
      {"fleet: 1,000 curves",
       [](const path& folder) { save_curves(folder / "c.json", 1000); },
       {"fleet", "--curves", "@/c.json", "--engines", "100", "--contexts", "10000", "--rounds", "1", "--quiet"},
       {0}});
  rows.push_back({"kept: 20,000,000 tokens",
                  one_file("ids", [] { return "[" + repeated("1,", 20'000'000) + "1]"; }),
                  {"kept", "--model", model, "--tokens", "@/ids"},
                  {3}});
  rows.push_back({"model generate: a prompt of 4 MiB",
                  one_file("p", [] { return repeated("ab ", (4 << 20) / 3); }),
                  {"model", "generate", model, "--prompt-file", "@/p"},
                  {3},
                  "shorten the context"});
  rows.push_back({"model generate: a model of no numbers",
                  [](const path& folder) {
                    save_model_of_no_numbers(folder);
                    save(folder / "p", "ab");
                  },
                  {"model", "generate", "@", "--prompt-file", "@/p"},
                  {3},
                  "logits are not finite"});
  // 13 MB. Once it was read, the worker's process held all of it.
  rows.push_back({"method: a file that unpacks to 2 GiB",
                  [](const path& folder) { save(folder / "m.pt", zip_of({deflated_zeros("m/version", 8'300'000)})); },
                  {"method", "check", "@/m.pt"},
                  {3},
                  "its archive unpacks to 1.99 GiB"});
}

}  // namespace kvantage::test::hostile
