// Runs with planted requests, for comparisons whose differences are known beforehand.
#pragma once

#include <functional>
#include <string>

#include "tests/ui/runs/memory_library.h"

namespace kvantage::test {

/// What is planted in the j-th request of context "ci".
struct PlantedRun {
  std::string id = "run-a", policy = "lru", workload = "quickstart", model = "kvantage-12M", question = "question";
  int seed = 3;
  Provenance provenance = Provenance::measured;
  std::function<double(int context, int asked)> ttft_ms = [](int context, int asked) {
    return 10.0 * (context + 1) + asked;
  };
  std::function<double(int context, int asked)> quality = [](int, int) { return 0.5; };
};

inline constexpr int planted_contexts = 6, planted_requests = 10;  // of each context

inline RequestRecord planted_request(const PlantedRun& planted, int context, int asked) {
  RequestRecord record;
  record.id = static_cast<std::uint64_t>(context * planted_requests + asked + 1);
  record.context_id = std::string(1, 'c').append(std::to_string(context));
  record.context = digest_of(record.context_id);
  record.policy = planted.policy;
  record.alpha = 0.25;
  record.question = planted.question + ' ' + std::to_string(asked);
  record.source = "dram";
  record.context_tokens = 600;
  record.prefix_hit_tokens = 600;
  record.answer_tokens = 8;
  record.provenance = planted.provenance;
  record.timing.ttft_service_seconds = 1e-3 * planted.ttft_ms(context, asked);
  record.timing.ttft_seconds = record.timing.ttft_service_seconds;
  record.timing.mean_itl_seconds = 0.02;
  record.timing.e2e_seconds = 0.5;
  record.quality["token_f1"] = planted.quality(context, asked);
  record.quality_uncompressed["token_f1"] = 0.9;
  record.quality_chance["token_f1"] = 0.1;
  record.held_out = true;
  return record;
}

inline WholeRun planted_run(const PlantedRun& planted) {
  WholeRun run;
  const Json settings{{"policy", planted.policy},
                      {"alpha", 0.25},
                      {"quality_metric", "token_f1"},
                      {"tiers", {{{"name", "dram"}, {"budget_bytes", 4 << 20}}}}};
  run.summary = {
      planted.id,
      1'000'000'000,
      9'000'000'000,
      planted.policy,
      "finished",
      static_cast<std::uint64_t>(planted_contexts * planted_requests),
      Json{{"settings", settings},
           {"environment", {{"workload", planted.workload}, {"model", planted.model}, {"seed", planted.seed}}}}};
  for (int asked = 0; asked < planted_requests; ++asked)
    for (int context = 0; context < planted_contexts; ++context) {
      Event event;
      event.sequence = run.events.size() + 1;
      event.monotonic_ns = static_cast<std::int64_t>(event.sequence) * 5'000'000;
      event.payload = events::RequestFinished{planted_request(planted, context, asked)};
      run.events.push_back(std::move(event));
    }
  return run;
}

/// "run-a"; "run-b", twice as fast, its quality moved up and down by context; "run-c", which asked other questions,
/// five times as fast.
inline std::shared_ptr<MemoryLibrary> planted_library() {
  auto library = std::make_shared<MemoryLibrary>();
  const PlantedRun first;
  PlantedRun half = first, other = first;
  half.id = "run-b";
  half.policy = "evicpress";
  half.seed = 4;
  half.ttft_ms = [first](int context, int asked) { return 0.5 * first.ttft_ms(context, asked); };
  half.quality = [](int context, int) { return context % 2 == 0 ? 0.6 : 0.4; };
  other.id = "run-c";
  other.policy = "evicpress";
  other.question = "another question";
  other.ttft_ms = [first](int context, int asked) { return 0.2 * first.ttft_ms(context, asked); };
  for (const PlantedRun& planted : {first, half, other}) library->runs[planted.id] = planted_run(planted);
  return library;
}

}  // namespace kvantage::test
