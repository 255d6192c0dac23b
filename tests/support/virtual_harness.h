// An EngineHarness in virtual time: stores are real, on disk, and take no time but what their shape and their faults
// say; a model of hashed rows computes, in the time of its costs. Nothing is waited for.
#pragma once

#include "tests/support/engine_harness.h"
#include "tests/support/hashed_model.h"

namespace kvantage::test {

/// Hashed: every byte of a cache shows in answers, and steps take time. Real: the numbers of the kernels, in no time.
enum class ModelKind { hashed, real };

inline Expected<std::unique_ptr<EngineHarness>> open_virtual(const std::filesystem::path& folder,
                                                             const Workload& workload, std::vector<std::string> tiers,
                                                             const std::string& policy, bool cold_start = false,
                                                             HarnessOptions other = {},
                                                             ModelKind model = ModelKind::hashed) {
  const auto executor = std::make_shared<VirtualExecutor>();
  other.executor = executor;
  if (model == ModelKind::hashed)
    other.open_device = [&time = *executor](const Transformer& shape) -> Expected<std::shared_ptr<ModelDevice>> {
      return std::make_shared<HashedModel>(shape, time, ModelCosts{});
    };
  return EngineHarness::open(folder, workload, std::move(tiers), policy, cold_start, other);
}

/// Lets so much virtual time pass in a harness of open_virtual().
inline void pass(EngineHarness& harness, double seconds) {
  static_cast<VirtualExecutor&>(*harness.executor).pass(seconds);
}

}  // namespace kvantage::test
