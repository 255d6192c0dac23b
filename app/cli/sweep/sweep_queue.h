// Cells of a sweep on a Redis server: a stream with a consumer group hands each to one worker; a worker says every few
// seconds that it is at it, and a cell of which that was not said for a while goes to another. A result is set once
// under its cell's id before the cell is acknowledged, so a cell that was done twice counts once and none is lost. A
// cell that fails goes back to the others; its failure is its result only after `most_attempts`. Keys:
// kvantage:sweep:NAME:{plan,cells,published,results,runs,failures}.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "core/sweep/sweep_plan.h"
#include "tiers/remote/redis_connection.h"

namespace kvantage::cli {

class SweepQueue {
 public:
  /// io, rejected_input: as RedisConnection. A password comes from where with_credentials() looks.
  static Expected<std::unique_ptr<SweepQueue>> connect(const std::string& url, const std::string& name);

  static constexpr int most_attempts = 3;

  // Whoever gives out the work:
  /// Whether a sweep of this name is there, or anything of one.
  Expected<bool> exists();
  /// Puts plan and cells there; those that were published before are not published again, and of those in `held`, whose
  /// results are elsewhere, workers hear that they are done.
  Status publish(const SweepPlan& plan, const std::set<std::string>& held);
  /// Takes back failures that were recorded as results, and marks of cells held elsewhere than in `held`: the next
  /// publish() gives those cells out anew.
  Status forget_failures(const std::set<std::string>& held);
  /// What workers said of each cell that failed: one text an attempt.
  Expected<std::map<std::string, std::vector<std::string>>> failures();
  /// The recorded run of a cell, as text; nothing where there is none (any more).
  Expected<std::optional<std::string>> run_of(const std::string& id);
  /// After it was taken over into a database.
  Status forget_run(const std::string& id);
  /// Ids that have results.
  Expected<std::set<std::string>> finished();
  Expected<std::optional<Json>> result(const std::string& id);

  // Workers:
  Expected<std::optional<SweepPlan>> plan();
  struct Taken {
    std::string message, id;
    SweepCell cell;
    bool from_another = false;  // whose worker has not been heard of for `lease_seconds`
  };
  /// The next cell for `worker`, or nothing for now.
  Expected<std::optional<Taken>> take(const std::string& worker, double lease_seconds);
  Expected<bool> has_result(const std::string& id);
  /// Sets result and run if there is none, then acknowledges. False: there was one.
  Expected<bool> finish(const Taken& taken, const Json& result, const std::string& run_text);
  /// Hands the cell back, for any worker to take; the last of most_attempts makes the failure its result.
  Status hand_back(const Taken& taken, const std::string& worker, const std::string& why);
  /// Says that `worker` is still at it, unless another has it by now.
  Status renew(const std::string& worker, const Taken& taken);

 private:
  SweepQueue(std::unique_ptr<RedisConnection> connection, const std::string& name);
  Expected<RedisReply> ask(std::initializer_list<std::string_view> words);
  Expected<std::optional<Taken>> taken_from(const RedisReply& messages, bool from_another);

  std::unique_ptr<RedisConnection> connection_;
  std::string name_, plan_, cells_, published_, results_, runs_, failures_;
};

/// Renews a cell on a thread and a connection of its own for as long as it lives.
class SweepLease {
 public:
  SweepLease(std::string url, std::string name, std::string worker, SweepQueue::Taken taken, double lease_seconds);
  ~SweepLease();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace kvantage::cli
