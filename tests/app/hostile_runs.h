// Hostile recorded runs and databases.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>

#include "core/base/digest.h"
#include "core/base/json.h"
#include "profiles/stores.h"
#include "tests/app/hostile_inputs.h"
#include "tests/support/test_model.h"

namespace kvantage::test::hostile {

/// Events of a run that was recorded here, by their type, to be changed and repeated.
inline Json event_of(const std::string& type) {
  std::ifstream stream(source_directory() / "tests/goldens/written/2026-11/run.kvrun");
  for (std::string line; std::getline(stream, line);)
    if (Json json = *parse_json(line, "golden"); json.value("type", "") == type) return json;
  qFatal("no event %s", type.c_str());
}

class RunWriter {
 public:
  explicit RunWriter(const std::string& settings = "{}", const std::string& notes = {}) {
    text_ = R"({"format":"kvantage-run",)" + (notes.empty() ? "" : "\"notes\":" + notes + ",") +
            R"("run":{"finished_utc_ns":2,"outcome":"finished","policy":"lru","requests":0,"run_id":"r",)" +
            R"("settings":)" + settings + R"(,"started_utc_ns":1},"version":)" + (notes.empty() ? "1" : "2") + "}\n";
  }
  RunWriter& add(Json event, std::optional<std::int64_t> monotonic_ns = {}) {
    event["sequence"] = ++events_;
    event["monotonic_ns"] = monotonic_ns.value_or(static_cast<std::int64_t>(events_) * 1000);
    text_ += event.dump() + "\n";
    return *this;
  }
  std::string text() const {
    return text_ + Json{{"digest", digest_of(text_).hex()}, {"events", events_}}.dump() + "\n";
  }
  /// As a database of one run.
  void save_database(const path& folder) const {
    save(folder / "r.kvrun", text());
    const auto stores = open_stores(folder / "r.db", StoreAccess::read_write, machine_clock());
    if (!stores || !(*stores)->import_run(folder / "r.kvrun")) qFatal("cannot write a database");
  }

 private:
  std::string text_;
  std::size_t events_ = 0;
};

inline void add_run_files(Rows& rows) {
  const QStringList import{"runs", "import", "@/r", "--db", "@/r.db", "--quiet"};
  rows.push_back({"run: an endless line", one_file("r", [] { return std::string(70'000'000, ' '); }), import, {3}});
  rows.push_back({"run of 4 GiB", [](const path& folder) { save_sparse(folder / "r", "{", 4 * gib); }, import, {3}});
  rows.push_back({"run: brackets", one_file("r", [] { return std::string(20'000'000, '[') + "\n"; }), import, {3}});
  rows.push_back({"run: 100,000 events",
                  one_file("r",
                           [] {
                             RunWriter run;
                             const Json event = event_of("token.emitted");
                             for (int i = 0; i < 100'000; ++i) run.add(event);
                             return run.text();
                           }),
                  import,
                  {0}});
  rows.push_back({"run: 300,000 tags",
                  one_file("r",
                           [] {
                             return RunWriter("{}", R"({"text":"","tags":)" +
                                                        list_of(300'000, [](auto i) { return quoted(number(i)); }) +
                                                        "}")
                                 .text();
                           }),
                  import,
                  {0}});
  rows.push_back({"run: settings of small values",
                  one_file("r", [] { return RunWriter("{\"a\":[" + repeated("[],", 3'000'000) + "0]}").text(); }),
                  import,
                  {0}});
}

inline void add_reports(Rows& rows) {
  const QStringList report{"report", "--db", "@/r.db"};
  const auto journal = [](const std::string& settings, const std::function<void(RunWriter&)>& fill) {
    return [=](const path& folder) {
      RunWriter run(settings);
      fill(run);
      run.save_database(folder);
    };
  };
  const auto requests = [](std::size_t count, const std::function<void(Json & record, std::size_t i)>& change) {
    return [=](RunWriter& run) {
      Json event = event_of("request.finished");
      for (std::size_t i = 0; i < count; ++i) {
        event["data"]["record"]["id"] = i + 1;
        change(event["data"]["record"], i);
        run.add(event);
      }
    };
  };
  rows.push_back({"report: each request from another tier",
                  journal("{}", requests(3000, [](Json& record, auto i) { record["source"] = number(i); })),
                  report,
                  {3}});
  rows.push_back({"report: each request under another alpha",
                  journal("{}", requests(3000, [](Json& record, auto i) { record["alpha"] = i; })),
                  report,
                  {3}});
  rows.push_back({"report: 900 alphas",
                  journal("{}", requests(3000,
                                         [](Json& record, auto i) {
                                           record["alpha"] = i % 900;
                                           record["context"] = digest_of(number(i)).hex();
                                         })),
                  report,
                  {0}});
  rows.push_back({"report: 4,000 contexts",
                  journal("{}", requests(4000,
                                         [](Json& record, auto i) {
                                           record["context"] = digest_of(number(i)).hex();
                                           record["timing"]["ttft_service_seconds"] = 0.001 * static_cast<double>(i);
                                         })),
                  report,
                  {0}});
  rows.push_back({"report: metrics of one request",
                  journal("{}", requests(1,
                                         [](Json& record, auto) {
                                           for (std::size_t i = 0; i < 200'000; ++i) record["quality"][number(i)] = 1;
                                         })),
                  report,
                  {3}});
  rows.push_back({"report: tiers of an event each",
                  journal("{}",
                          [](RunWriter& run) {
                            Json event = event_of("tier.occupancy");
                            for (int i = 0; i < 30'000; ++i) {
                              event["data"]["tier"] = "t" + std::to_string(i);
                              run.add(event);
                            }
                          }),
                  report,
                  {3}});
  rows.push_back({"report: long settings of many events",
                  journal(filled(R"({"settings":{"x":"#"}})", std::string(3'000'000, 'x')),
                          [](RunWriter& run) {
                            const Json event = event_of("tier.occupancy");
                            for (int i = 0; i < 20'000; ++i) run.add(event);
                          }),
                  report,
                  {0}});
}

inline void add_databases(Rows& rows) {
  const auto runs = [](std::size_t count, const std::function<std::string(std::size_t)>& settings) {
    return [=](const path& folder) {
      const auto stores = open_stores(folder / "r.db", StoreAccess::read_write, machine_clock());
      for (std::size_t i = 0; i < count; ++i) {
        const RunSummary summary{number(i), 1, 2, "lru", "finished", 0, *parse_json(settings(i), "settings")};
        if (!stores || !(*stores)->import_run(summary, {}, {})) qFatal("cannot write a database");
      }
    };
  };
  // Long names above, many below.
  rows.push_back({"compare: settings of long paths",
                  runs(2,
                       [](auto) {
                         std::string settings = joined(100'000, ",", [](auto i) { return quoted(number(i)) + ":1"; });
                         for (int i = 0; i < 100; ++i)
                           settings = quoted(std::string(20'000, 'k')) + ":{" + settings + "}";
                         return "{" + settings + "}";
                       }),
                  {"compare", "0", "1", "--db", "@/r.db"},
                  {0, 2, 3}});
  rows.push_back({"runs list: settings of small values",
                  runs(8, [](auto) { return "{\"a\":[" + repeated("[],", 3'000'000) + "0]}"; }),
                  {"runs", "list", "--db", "@/r.db"},
                  {0}});
  rows.push_back({"report: a group of 1,500 runs",
                  runs(1500,
                       [](auto i) {
                         return R"({"group":"g",)" +
                                joined(3, ",", [=](auto k) { return quoted(number(3 * i + k)) + ":1"; }) + "}";
                       }),
                  {"report", "--db", "@/r.db"},
                  {0}});
  rows.push_back({"report: a group of 2,500 runs",
                  runs(2500, [](auto) { return R"({"group":"g"})"; }),
                  {"report", "--db", "@/r.db"},
                  {3}});
  rows.push_back({"database of 4 GiB",
                  [](const path& folder) { save_sparse(folder / "r.db", "SQLite format 3", 4 * gib); },
                  {"runs", "list", "--db", "@/r.db"},
                  {3}});
}

}  // namespace kvantage::test::hostile
