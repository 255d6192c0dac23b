// Recorded runs whose exports tests/goldens/serving has, as tests/parity/validate_exports.py accepted them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/ports/session.h"
#include "core/report/serving/serving_settings.h"

namespace kvantage::test {

struct ServingCase {
  std::string name;  // of its file, which begins with the system
  RecordedRun run;
  ServingOptions options = {};
  std::string system() const { return name.substr(0, name.find('-')); }
};

/// A run that begins with these settings; a token of its model takes 3,072 bytes.
inline RecordedRun recorded_with(const SessionSettings& settings) {
  RecordedRun run;
  run.summary = {.run_id = "quickstart-1",
                 .started_utc_ns = 1,
                 .finished_utc_ns = 2,
                 .policy = settings.policy,
                 .outcome = "finished",
                 .requests = 0,
                 .settings = Json{{"settings", to_json(settings)},
                                  {"prefill_chunk_tokens", 256U},
                                  {"kv_bytes_per_token", 3072U},
                                  {"environment", {{"model", "default model"}, {"workload", "quickstart"}}}}};
  Event begun;
  begun.sequence = 1;
  begun.payload = events::RunStarted{run.summary.run_id, run.summary.settings};
  run.events.push_back(begun);
  return run;
}

inline std::vector<ServingCase> serving_cases() {
  const TierConfig memory{.name = "dram", .budget = std::uint64_t{64} << 20};
  const TierConfig disk{.name = "ssd", .budget = std::uint64_t{1} << 30};
  const TierConfig server{
      .name = "server", .budget = std::uint64_t{4} << 30, .options = {{"url", "redis://cache.example:6379"}}};
  const auto run_of = [](const std::string& policy, std::vector<TierConfig> tiers, int max_batch = 1) {
    SessionSettings settings;
    settings.policy = policy;
    settings.tiers = std::move(tiers);
    settings.max_batch = max_batch;
    return recorded_with(settings);
  };
  const ServingOptions scaled{.disk_directory = "/mnt/nvme/kv",
                              .for_model = ServedModel{"Llama-3.1-8B-Instruct", 131072}};
  return {{"lmcache-memory", run_of("lru", {memory})},
          {"lmcache-tiers", run_of("lfu", {memory, disk, server})},
          {"lmcache-fifo", run_of("fixed(none,0,eviction=fifo)", {disk})},
          {"lmcache-cachegen", run_of("fixed(cachegen,0)", {memory, server})},
          {"lmcache-kivi", run_of("fixed(kivi4,0)", {memory, server})},
          {"lmcache-planned", run_of("evicpress", {memory, disk})},
          {"lmcache-scaled", run_of("lru", {memory, disk}), scaled},
          {"lmcache-off", run_of("full_prefill", {memory})},
          {"vllm-memory", run_of("lru", {memory})},
          {"vllm-tiers", run_of("arc", {memory, disk, server}, 8)},
          {"vllm-fp8", run_of("fixed(fp8,0)", {memory})},
          {"vllm-scaled", run_of("lru", {memory, disk}), scaled},
          {"vllm-off", run_of("full_prefill", {memory})}};
}

}  // namespace kvantage::test
