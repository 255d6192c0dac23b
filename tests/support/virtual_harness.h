// An EngineHarness in virtual time: stores are real, on disk, and take no time but what their throttle and their faults
// say. Nothing waits on the machine's clock.
#pragma once

#include <functional>

#include "tests/support/engine_harness.h"
#include "tests/support/hashed_model.h"
#include "tests/support/timed_model.h"

namespace kvantage::test {

enum class ModelKind {
  hashed,  // every byte of a cache shows in answers, and steps take time
  real,    // the numbers of the kernels, in no time
  timed,   // the numbers of the kernels, and steps take time; as on a device, all layers of a token decode in one step
  ticking  // the numbers of the kernels on the processor; each look at the clock takes 0.1 ms, and nothing overlaps
};

constexpr double look_seconds = 1e-4;

/// What opens the device of `kind`; null where the processor computes. `executor` outlives the device.
inline std::function<Expected<std::shared_ptr<ModelDevice>>(const Transformer&)> device_of(
    ModelKind kind, const std::filesystem::path& model, VirtualExecutor& executor, ModelCosts costs = {}) {
  switch (kind) {
    case ModelKind::real:
    case ModelKind::ticking:
      return {};
    case ModelKind::timed:
      return [=, &executor](const Transformer&) { return TimedModel::load(model, executor, costs); };
    case ModelKind::hashed:
      break;
  }
  return [=, &executor](const Transformer& shape) -> Expected<std::shared_ptr<ModelDevice>> {
    return std::make_shared<HashedModel>(
        shape, [&executor](double seconds) { executor.pass(seconds); }, costs);
  };
}

inline Expected<std::unique_ptr<EngineHarness>> open_virtual(const std::filesystem::path& folder,
                                                             const Workload& workload, std::vector<std::string> tiers,
                                                             const std::string& policy, bool cold_start = false,
                                                             HarnessOptions other = {},
                                                             ModelKind model = ModelKind::hashed,
                                                             ModelCosts costs = {}) {
  const auto executor = std::make_shared<VirtualExecutor>();
  other.executor = executor;
  if (model == ModelKind::ticking) executor->set_look_seconds(look_seconds);
  if (auto device = device_of(model, other.model.empty() ? model_directory() : other.model, *executor, costs))
    other.open_device = std::move(device);
  return EngineHarness::open(folder, workload, std::move(tiers), policy, cold_start, other);
}

/// A session of these options, loaded.
inline Expected<std::unique_ptr<EngineHarness>> open_virtual(SessionOptions options,
                                                             ModelKind model = ModelKind::hashed) {
  auto harness = std::make_unique<EngineHarness>();
  const auto executor = std::make_shared<VirtualExecutor>();
  harness->executor = executor;
  options.executor = executor.get();
  if (model == ModelKind::ticking) executor->set_look_seconds(look_seconds);
  options.threads = 1;
  if (auto device = device_of(model, options.model, *executor)) {
    options.gpu = true;
    options.open_device = std::move(device);
  }
  KV_ASSIGN(auto session, open_session(options, {&harness->sink}));
  harness->session = std::move(session);
  if (harness->wait() == RunState::failed) return tl::unexpected(harness->engine().failure());
  return harness;
}

inline VirtualExecutor& time_of(EngineHarness& harness) { return static_cast<VirtualExecutor&>(*harness.executor); }

/// Lets so much virtual time pass in a harness of open_virtual().
inline void pass(EngineHarness& harness, double seconds) { time_of(harness).pass(seconds); }

/// Lets virtual time pass, a millisecond at a time, until `over()` holds; at most `seconds`. Returns over().
inline bool pass_until(EngineHarness& harness, const std::function<bool()>& over, double seconds = 60) {
  const Clock& clock = time_of(harness).clock();
  for (const double end = clock.seconds() + seconds; !over() && clock.seconds() < end;) pass(harness, 1e-3);
  return over();
}

}  // namespace kvantage::test
