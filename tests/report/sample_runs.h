// Runs made from a seed, with everything that a report has to cope with.
#pragma once

#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/report/report.h"

namespace kvantage {

inline PolicyRun sample_run(std::uint64_t seed, const std::string& policy, int requests) {
  Random random(seed);
  PolicyRun run;
  run.policy = policy;
  run.alpha = 0.5;
  run.kv_bytes_per_token = 2048;
  run.wall_seconds = 12.5;
  run.tiers = {{"dram", 3000000, 4194304, 4100000, false, true}, {"ssd", 9000000, 0, 0, true, true}};
  for (int i = 0; i < requests; ++i) {
    RequestRecord record;
    record.id = static_cast<std::uint64_t>(i);
    record.context_id = std::string(1, 'c').append(std::to_string(random.below(9)));
    record.context = digest_of(record.context_id);
    record.policy = policy;
    record.alpha = run.alpha;
    record.context_tokens = 500 + static_cast<int>(random.below(1500));
    record.answer_tokens = 1 + static_cast<int>(random.below(20));
    const std::uint64_t kind = random.below(10);
    if (kind < 4)
      record.source = "dram";
    else if (kind < 7)
      record.source = "ssd";
    else
      record.source = "prefill";
    const bool hit = record.source != "prefill";
    if (hit) {
      record.prefix_hit_tokens = kind == 0 ? 300 : kind == 1 ? 0 : record.context_tokens;  // 0: all of it
      record.bytes_loaded = 1000 + random.below(1000000);
    } else {
      record.miss_reason = kind == 7 ? "corrupt" : "absent";
    }
    record.provenance = record.source == "ssd" ? Provenance::throttled : Provenance::measured;
    RequestTiming& timing = record.timing;
    timing.lookup_seconds = 1e-5 * random.uniform();
    timing.load_seconds = hit ? 0.02 * random.uniform() : 0;
    timing.device_seconds = timing.load_seconds * (1 + random.uniform());
    timing.decode_seconds = hit ? 0.01 * random.uniform() : 0;
    timing.context_prefill_seconds = hit && kind != 0 ? 0 : 0.4 * random.uniform();
    timing.question_prefill_seconds = 0.05 * random.uniform();
    timing.ttft_service_seconds = timing.lookup_seconds + timing.load_seconds + timing.decode_seconds +
                                  timing.context_prefill_seconds + timing.question_prefill_seconds +
                                  1e-4 * random.uniform();
    timing.queue_seconds = random.exponential(0.1);
    timing.ttft_seconds = timing.queue_seconds + timing.ttft_service_seconds;
    timing.mean_itl_seconds = 0.01 + 0.01 * random.uniform();
    timing.e2e_seconds = timing.ttft_seconds + timing.mean_itl_seconds * record.answer_tokens;
    record.quality = {{"token_f1", random.uniform()}, {"exact_match", random.below(2) ? 1.0 : 0.0}};
    record.quality_uncompressed = {{"token_f1", 0.5 + 0.5 * random.uniform()}};
    record.quality_chance = {{"token_f1", 0.1 * random.uniform()}};
    record.held_out = random.below(8) != 0;
    record.cancelled = random.below(20) == 0;
    run.records.push_back(record);
  }
  return run;
}

inline RunReport sample_report() {
  const Json settings{{"quality_metric", "token_f1"}, {"alpha", 0.5}, {"policy", {"lru", "evicpress"}}};
  const Json environment{{"command", "kvantage-cli run 'quick <start>' --policy 'lru,evicpress'"},
                         {"commit", "0123abc"},
                         {"dirty", false},
                         {"hardware", "2 cores & 24 GiB"},
                         {"workload", "quickstart"},
                         {"model", "default"}};
  return build_report(
      settings, environment,
      {sample_run(1, "lru", 200), sample_run(2, "evicpress", 180), sample_run(3, "fixed(snapkv,0.5)", 60)});
}

}  // namespace kvantage
