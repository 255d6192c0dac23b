// The engine: one thread that loads the model, serves requests step by step, and between requests stores, compresses,
// places and profiles. It implements Session, so a window, a test and the command line drive it alike.
// Only its thread computes (libtorch's workers under it); tiers move bytes on their own threads. What it does in which
// order: core/engine/engine_loop.h.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/executor.h"
#include "core/engine/display_queue.h"
#include "core/engine/session_board.h"
#include "core/inspect/inspection_mailbox.h"
#include "core/ports/inspector.h"
#include "core/ports/session.h"
#include "core/ports/storage_tier.h"
#include "core/ports/stores.h"
#include "core/request/span_log.h"
#include "core/runtime/model_runtime.h"
#include "core/workload/workload.h"

namespace kvantage::inline engine {

/// Tiers as an engine wants them; made by whoever knows the implementations, on the engine's thread once the model's
/// digest is known (stores of different models live in different folders).
struct OpenedTiers {
  std::vector<std::unique_ptr<StorageTier>> tiers;  // as SessionSettings::tiers, fastest first
  std::unique_ptr<StorageTier> archive;
  std::unique_ptr<BufferLender> lender;
  std::vector<std::string> notes;  // what a user should know of them, one sentence each
  /// Applies a changed TierConfig (its throttle) to an open tier; capacity is set by the engine.
  std::function<Status(std::size_t tier, const TierConfig& setting)> rethrottle;
  /// Faults for the files of an open tier from now on, drawn again from their seed; those of an empty text are none.
  /// Tiers open without: what they are timed and cleared at is the device itself.
  std::function<Status(std::size_t tier, const std::string& faults)> inject;
};

struct EngineConfig {
  std::filesystem::path model;
  Workload workload;
  SessionSettings settings;
  std::uint64_t seed = 0;    // of the request sequence
  std::uint64_t warmup = 0;  // first requests of a run that carry no weight in tables (marked in events)
  bool cold_start = false;   // empty the budgeted tiers whenever a run starts
  // The same run twice decides alike: nothing that is timed enters a decision. Costs are these where given (of a
  // recorded run), else the first that were stored.
  bool frozen = false;
  std::optional<events::SnapshotTaken> frozen_costs = {};
  bool endless = false;             // begin the request sequence again when it ends
  Json run_facts = Json::object();  // recorded with each run beside its settings: environment, group
  int max_answer_tokens = 48;
  Executor* executor = nullptr;  // of the engine's thread, and of the tiers'; never null, outlives the engine
  int threads = 0;               // 0: all cores, but for the one that is left
  bool leave_core = false;       // to a window, where there are three or more
  ModelRuntimeOptions runtime;
  /// Gives up with `cancelled` soon after `stop` says so.
  std::function<Expected<OpenedTiers>(const Digest128& model, const SessionSettings& settings,
                                      const std::function<bool()>& stop)>
      open_tiers;
  std::vector<std::filesystem::path> shipped_profiles;  // imported when the store has no profile of this scope
  std::function<Status(ProfileStore& store, const std::filesystem::path& file)> import_profile;
};

class Engine final : public Session, public Inspector, public SpanSource {
 public:
  /// The stores and sinks must outlive the engine. Loading begins at once, on the engine's thread; its progress and
  /// failure come as events and state().
  Engine(EngineConfig config, ProfileStore* profiles, RunStore* runs, std::vector<EventSink*> sinks);
  /// Cancels at the next layer, finishes background writes, joins.
  ~Engine() override;

  RunState state() const override { return board_.state(); }
  SessionInfo info() const override { return board_.info(); }
  void start() override;
  void pause() override;
  void step() override;
  void stop() override;
  Status apply(const SessionSettings& settings) override;
  SessionSettings settings() const override { return board_.settings(); }
  std::shared_ptr<const Snapshot> snapshot() const override { return board_.view().snapshot; }
  std::shared_ptr<const std::vector<TierReport>> tier_reports() const override { return board_.view().tier_reports; }
  std::optional<ModelDeviceGauges> model_device() const override { return board_.view().model_device; }
  std::vector<Event> drain(std::size_t limit) override { return display_.drain(limit); }

  std::uint64_t request_keep_map(const KeepMapRequest& request) override;
  void drop_keep_map() override;
  std::shared_ptr<const KeepMapResult> keep_map() const override { return inspections_.result(); }
  std::string keep_map_work() const override { return inspections_.work(); }
  std::vector<std::string> methods() const override;

  std::shared_ptr<const RequestSpans> spans_of(std::uint64_t request) const override { return spans_.of(request); }

  /// Profiles every context that has no complete profile, then goes back to `ready`; progress as events.
  void profile_all();
  /// Waits until the state is none of loading and running, or for `seconds`.
  RunState wait_while_busy(double seconds) const { return board_.wait_while_busy(seconds); }
  /// What profiles of this session are filed under; valid from `ready` on.
  ProfileScope profile_scope() const { return board_.scope(); }
  /// Why state() is failed.
  Error failure() const { return board_.failure(); }

 private:
  EngineConfig config_;
  ProfileStore* profiles_;
  RunStore* runs_;
  const Clock& clock_;
  DisplayQueue display_;
  SpanKeeper spans_;
  std::vector<EventSink*> sinks_;
  SessionBoard board_;
  InspectionMailbox inspections_;
  std::unique_ptr<Executor::Thread> thread_;
};

}  // namespace kvantage::inline engine
