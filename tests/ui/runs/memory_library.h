// A library of runs in memory, and recorded runs made from a scripted session: no database, no engine.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>

#include "core/ports/recorded_snapshot.h"
#include "core/ports/run_library.h"
#include "tests/ui/window/scripted_session.h"

namespace kvantage {

class MemoryLibrary final : public RunLibrary {
 public:
  std::map<std::string, WholeRun> runs;

  /// Reading takes until it is let go, or given up.
  void hold() {
    const std::lock_guard lock(mutex_);
    held_ = true;
  }
  void let_go() {
    const std::lock_guard lock(mutex_);
    held_ = false;
    let_go_.notify_all();
  }
  /// Readings that were given up while they were held.
  int given_up() const { return given_up_; }

  std::filesystem::path database() const override { return "memory.db"; }
  Expected<std::vector<ListedRun>> list(std::int64_t) override {
    std::vector<ListedRun> listed;
    for (const auto& [id, run] : runs)
      listed.push_back({static_cast<std::int64_t>(listed.size()) + 1, run.summary, {}, {}});
    return listed;
  }
  Expected<RecordsAfter> records_after(const std::string& run_id, std::int64_t place) override {
    RecordsAfter found{{}, static_cast<std::int64_t>(runs.at(run_id).events.size())};
    for (std::size_t i = static_cast<std::size_t>(place); i < runs.at(run_id).events.size(); ++i)
      if (const auto* finished = std::get_if<events::RequestFinished>(&runs.at(run_id).events[i].payload))
        found.records.push_back(finished->record);
    return found;
  }
  Expected<WholeRun> read(const std::string& run_id, const std::vector<std::string>&,
                          const ShouldContinue& should_continue) override {
    const auto found = runs.find(run_id);
    if (found == runs.end())
      return fail(ErrorCode::not_found, "run '" + run_id + "': is no longer in this database; choose another run");
    if (!wait_while_held(should_continue)) {
      ++given_up_;
      return fail(ErrorCode::cancelled, "run '" + run_id + "': given up");
    }
    return found->second;
  }
  Status save_notes(const std::string&, const RunNotes&) override { return {}; }
  Status save_metrics(const std::string&, const Json&) override { return {}; }
  Status remove(const std::string& run_id) override {
    runs.erase(run_id);
    return {};
  }
  Status export_file(const std::string&, const std::filesystem::path&, const ShouldContinue&) override {
    return fail(ErrorCode::rejected_input, "memory: writes no file; use a database");
  }
  Expected<std::string> import_file(const std::filesystem::path&, const ShouldContinue&) override {
    return fail(ErrorCode::rejected_input, "memory: reads no file; use a database");
  }
  Expected<WholeRun> read_file(const std::filesystem::path&, const ShouldContinue&) override {
    return fail(ErrorCode::rejected_input, "memory: reads no file; use a database");
  }

 private:
  /// False: given up. Nobody is notified of that: it can only be asked for.
  bool wait_while_held(const ShouldContinue& should_continue) {
    std::unique_lock lock(mutex_);
    while (held_) {
      if (should_continue && !should_continue(1, 4)) return false;
      let_go_.wait_for(lock, std::chrono::milliseconds(20), [this] { return !held_; });
    }
    return true;
  }

  std::mutex mutex_;
  std::condition_variable let_go_;
  bool held_ = false;
  std::atomic<int> given_up_{0};
};

/// What an engine would have recorded of `requests` requests with `tokens` answer tokens each: half of them, a change
/// of alpha, a failed read, the other half.
inline WholeRun scripted_run(const std::string& run_id, std::size_t contexts, int requests, int tokens,
                             const std::string& policy = "evicpress") {
  ScriptedSession session(contexts);
  session.set_state(RunState::ready);
  SessionSettings settings = session.settings();
  settings.policy = policy;
  (void)session.apply(settings);
  (void)session.drain(1'000'000);
  WholeRun run;
  double seconds = 0;
  const auto add = [&](EventPayload payload, double step) {
    seconds += step;
    Event event;
    event.sequence = static_cast<std::uint64_t>(run.events.size()) + 1;
    event.monotonic_ns = 5'000'000'000 + static_cast<std::int64_t>(seconds * 1e9);
    event.payload = std::move(payload);
    run.events.push_back(std::move(event));
  };
  const auto serve = [&](int count) {
    for (int served = 0; served < count; served += 100) {
      session.serve(std::min(100, count - served));
      for (Event& event : session.drain(1'000'000)) {
        const auto* finished = std::get_if<events::RequestFinished>(&event.payload);
        if (finished == nullptr) {
          if (!std::holds_alternative<events::RunStarted>(event.payload) &&
              !std::holds_alternative<events::RequestStarted>(event.payload))
            add(std::move(event.payload), 0.001);
          continue;
        }
        add(events::RequestStarted{finished->record.id, finished->record.context_id, finished->record.family,
                                   finished->record.question},
            0.002);
        for (int token = 0; token < tokens; ++token) add(events::TokenEmitted{finished->record.id, " word"}, 0.004);
        add(std::move(event.payload), finished->record.timing.ttft_service_seconds);
      }
    }
  };
  const Json recorded{{"settings", to_json(settings)}, {"environment", {{"workload", "scripted"}, {"model", "none"}}}};
  add(events::RunStarted{run_id, recorded}, 0);
  add(recorded_snapshot(*session.snapshot(), "start"), 0.001);
  serve(requests / 2);
  SessionSettings other = session.settings();
  other.alpha *= 3;
  (void)session.apply(other);
  serve(requests - requests / 2);
  add(events::ReadFailed{session.snapshot()->contexts.front().key, "ssd", "checksum", false}, 0.001);
  add(events::RunFinished{run_id, "finished", static_cast<std::uint64_t>(requests)}, 0.001);
  run.summary = {run_id,  1'000'000'000, 9'000'000'000, policy, "finished", static_cast<std::uint64_t>(requests),
                 recorded};
  return run;
}

}  // namespace kvantage
