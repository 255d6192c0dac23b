// What `kvantage-cli reproduce` is told, and its figures by the file that makes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/engine/model_runtime.h"

namespace kvantage::cli {

struct ReproduceArguments {
  std::string figure, model, evictors;
  int cadence = 0;  // 0: each evictor's own
  int compact_every = 128;
  int contexts = 6, context_tokens = 1024, answer_tokens = 256;
  bool shared_heads = false;
  std::uint64_t seed = 1;
  bool json = false;
  // of figures over a workload
  std::string workload, store, database, methods, removed, policies, alphas, metric, command;
  std::string budgets = "0.1,0.2,0.33";
  std::string rates = "0.5,1,2,4";
  double ttft_bound_seconds = 1, least_quality = 0.8, reprofile_threshold = 0.3;
  int seeds = 3;
  int max_batch = 0;           // requests under way at most; 0: as in the session, 8 where requests arrive at a rate
  std::uint64_t requests = 0;  // 0: the workload's
};

/// A figure of answers under eviction while decoding.
struct DecodeFigure {
  const char* name;
  const char* shows;
  bool scores, times;                    // answers as long as the model makes them; steps of one and the same number
  std::vector<double> budget_fractions;  // of the prompt
  std::vector<int> page_sizes;
  std::vector<const char*> evictors;
  bool compactions = false;  // every evictor with each kind of compaction
};
const std::vector<DecodeFigure>& decode_figures();
Status reproduce_decode(ModelRuntime& runtime, const DecodeFigure& figure, const ReproduceArguments& arguments);
/// usage error before anything is loaded.
Status check_decode(const DecodeFigure& figure, const ReproduceArguments& arguments);

/// The page on token eviction: what a paged pool gives back, and what attention weights cost.
Status reproduce_walls(ModelRuntime& runtime, const ReproduceArguments& arguments);

/// EvicPress: its worked example, what quality curves tell, and policies on a workload.
std::vector<std::string> policy_figures();
Status reproduce_policies(const ReproduceArguments& arguments);

}  // namespace kvantage::cli
