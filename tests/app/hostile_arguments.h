// Hostile texts of the command line, sweeps and stores of tiers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "tests/app/hostile_traces.h"
#include "tests/app/hostile_workloads.h"
#include "tests/support/test_model.h"

namespace kvantage::test::hostile {

inline void add_arguments(Rows& rows) {
  constexpr std::size_t most = 120'000;  // Linux takes 128 KiB for each
  const auto many = [](const char* begin, const char* part, const char* end) {
    std::string text = begin;
    for (std::size_t i = 0; text.size() < most; ++i) text += (i == 0 ? "" : ",") + std::string(part) + number(i);
    return QString::fromStdString(text + end);
  };
  const auto deep = [](const std::string& name) {
    const std::size_t times = most / (name.size() + 2);
    return QString::fromStdString(repeated(name + "(", times) + repeated(")", times));
  };
  const auto refused = [&](const char* name, const QStringList& options) {
    rows.push_back(
        {name,
         make_workload,
         QStringList{"run", "@", "--quiet", "--model", text_of(model_directory()), "--store", "@/store"} + options,
         {2}});
  };
  const auto refused_by_lru = [&](const char* name, const char* option, const QString& value) {
    refused(name, {"--policy", "lru", "--tier", "dram=1MiB", option, value});
  };
  refused("policy: parentheses", {"--tier", "dram=1MiB", "--policy", deep("fixed")});
  refused("policy: parameters", {"--tier", "dram=1MiB", "--policy", many("fixed(", "k", "=1)")});
  refused("policy: names", {"--tier", "dram=1MiB", "--policy", many("", "p", "")});
  refused_by_lru("method: parentheses", "--methods", deep("adakv"));
  refused_by_lru("method: codecs", "--methods", "snapkv" + QString("+kivi4").repeated(20'000));
  refused_by_lru("methods: names", "--methods", many("", "m", ""));
  refused_by_lru("removed fractions", "--removed", many("", "0.", ""));
  refused_by_lru("tiers: options", "--tier", "ssd=1MiB," + many("", "o=", "").left(60'000));
  refused_by_lru("tiers: faults", "--tier", "ssd=1MiB,faults=" + QString("flip_on_read:0.01+").repeated(3'000));
  refused_by_lru("decode eviction", "--decode-eviction", many("paged_eviction(", "k", "=1)"));
  refused_by_lru("decode offload", "--decode-offload", many("ssd(", "k", "=1)"));
  refused_by_lru("speculation", "--speculation", many("lookup(", "k", "=1)"));
  refused_by_lru("speculation: a name", "--speculation", many("", "l", ""));
  rows.push_back({"plan: alphas",
                  make_workload,
                  {"plan", "@", "--quiet", "--model", text_of(model_directory()), "--store", "@/store", "--tier",
                   "dram=1MiB", "--alpha", many("", "", "")},
                  {2},
                  "more than 1000 plans"});
}

inline void add_sweeps(Rows& rows) {
  const QStringList sweep{
      "sweep",  "@/w",       "--out",    "@/s", "--resume", "--quiet", "--model", text_of(model_directory()),
      "--tier", "dram=1MiB", "--policy", "lru", "--limit",  "1"};
  rows.push_back({"sweep: a plan of 100,000 cells",
                  [](const path& folder) {
                    make_workload(folder / "w");
                    save(folder / "s" / "plan.json",
                         R"({"workload":"w","workload_digest":"","model":"m","tiers":[],"methods":[],)"
                         R"("removed_fractions":[],"quality_metric":"","request_limit":0,"warm_every_context":true,)"
                         "\"cells\":" +
                             list_of(100'000,
                                     [](auto i) {
                                       return R"({"policy":"lru","alpha":null,"budget":"1","requests_per_second":0,)"
                                              "\"seed\":" +
                                              number(i) + "}";
                                     }) +
                             "}");
                  },
                  sweep,
                  {3}});
  rows.push_back({"sweep: a plan of 4 GiB",
                  [](const path& folder) {
                    make_workload(folder / "w");
                    save_sparse(folder / "s" / "plan.json", "{", 4 * gib);
                  },
                  sweep,
                  {3}});
}

/// Stores that the program wrote, with files that end much later.
inline void add_stores(Rows& rows) {
  const auto written = [](const char* file, std::uintmax_t bytes) {
    return [=](const path& folder) {
      std::filesystem::copy(source_directory() / "tests/goldens/written/2026-11/store", folder,
                            std::filesystem::copy_options::recursive);
      std::filesystem::resize_file(folder / "model-workload/ssd" / file, bytes);
    };
  };
  rows.push_back(
      {"store: a segment of 256 GiB", written("segment-00000007.kvsegment", 256 * gib), {"store", "check", "@"}, {0}});
  rows.push_back({"store: compacting a segment of 256 GiB",
                  written("segment-00000007.kvsegment", 256 * gib),
                  {"store", "compact", "@"},
                  {0}});
  rows.push_back({"store: an index of 4 GiB", written("index.sqlite", 4 * gib), {"store", "check", "@"}, {0, 3}});
}

}  // namespace kvantage::test::hostile
