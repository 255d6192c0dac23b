// A whole engine on a small workload in a temporary folder, for tests that want the real thing.
#pragma once

#include <QTemporaryDir>

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/wiring/session_setup.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"

namespace kvantage::test {

/// Keeps every event, readable from the test's thread.
class CollectingSink final : public EventSink {
 public:
  void publish(const Event& event) override {
    const std::lock_guard lock(mutex_);
    events_.push_back(event);
  }
  std::vector<Event> events() const {
    const std::lock_guard lock(mutex_);
    return events_;
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    events_.clear();
  }
  template <class T>
  std::vector<T> all() const {
    std::vector<T> found;
    for (const Event& event : events())
      if (const T* payload = std::get_if<T>(&event.payload)) found.push_back(*payload);
    return found;
  }
  std::vector<RequestRecord> records() const {
    std::vector<RequestRecord> found;
    for (const auto& finished : all<events::RequestFinished>()) found.push_back(finished.record);
    return found;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Event> events_;
};

/// What a test wants other than the defaults.
struct HarnessOptions {
  std::filesystem::path model = {};  // empty: model_directory()
  bool frozen = false;
  std::function<Expected<std::shared_ptr<ModelDevice>>(const Transformer& model)> open_device =
      {};                                    // null: the processor computes
  std::string compute_or_load = "off";       // what is stored is loaded, however fast this machine computes
  std::shared_ptr<Executor> executor = {};   // null: the machine's
  std::optional<std::string> products = {};  // of the model's matrices
  bool displayed = false;                    // events are kept for drain()
  ProfileGridKind profile_grid = ProfileGridKind::full;
  std::optional<double> good_enough = {};
};

class EngineHarness {
 public:
  using Other = HarnessOptions;
  /// Opens an engine on `workload` with these tiers; stores live in `folder` (shared between harnesses to restart).
  static Expected<std::unique_ptr<EngineHarness>> open(const std::filesystem::path& folder, const Workload& workload,
                                                       std::vector<std::string> tiers, const std::string& policy,
                                                       bool cold_start = false, const Other& other = {}) {
    auto harness = std::make_unique<EngineHarness>();
    SessionOptions options;
    options.model = other.model.empty() ? model_directory() : other.model;
    options.workload = folder / "workload";
    KV_TRY(write_workload(workload, options.workload));
    options.store = folder / "store";
    options.tiers = std::move(tiers);
    options.policy = policy;
    options.methods = {"knorm", "keydiff"};
    options.removed_fractions = {0.3, 0.6};
    options.cold_start = cold_start;
    options.frozen = other.frozen;
    options.compute_or_load = other.compute_or_load;
    options.products = other.products;
    options.displayed = other.displayed;
    options.profile_grid = other.profile_grid;
    options.good_enough = other.good_enough;
    options.gpu = static_cast<bool>(other.open_device);
    options.open_device = other.open_device;
    options.executor = other.executor.get();
    if (other.executor != nullptr) options.threads = 1;  // in virtual time a second one has nothing to make faster
    harness->executor = other.executor;
    auto session = open_session(options, {&harness->sink});
    if (!session) return tl::unexpected(session.error());
    harness->session = std::move(*session);
    if (harness->wait() == RunState::failed) return tl::unexpected(harness->engine().failure());
    return harness;
  }
  Engine& engine() { return *session.engine; }
  RunState wait(double seconds = 120) {
    for (double waited = 0; waited < seconds; waited += 0.5) {
      const RunState state = engine().wait_while_busy(0.5);
      if (state != RunState::loading && state != RunState::running) return state;
    }
    return engine().state();
  }
  /// Serves `limit` requests under `policy` and gives their records.
  Expected<std::vector<RequestRecord>> serve(const std::string& policy, std::uint64_t limit) {
    SessionSettings settings = engine().settings();
    settings.policy = policy;
    settings.request_limit = limit;
    KV_TRY(engine().apply(settings));
    sink.clear();
    engine().start();
    if (wait() != RunState::finished) return fail(ErrorCode::internal, "the run did not finish");
    return sink.records();
  }

  std::shared_ptr<Executor> executor;
  CollectingSink sink;
  LiveSession session;
};

}  // namespace kvantage::test
