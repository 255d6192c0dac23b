// Distributes cells of a sweep through a Redis server: a stream with a consumer group gives each to one worker. A
// worker renews its claim every few seconds; a cell without renewal for a while goes to another. A result is stored
// under its cell's id before the cell is acknowledged, so a cell that runs twice counts once and none is lost. A failed
// cell returns to the queue; its failure becomes its result only after `max_attempts`. Keys:
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
  /// rejected_input: the server cannot be reached, does not answer or refuses, as for all commands below. Passwords
  /// come from with_credentials().
  static Expected<std::unique_ptr<SweepQueue>> connect(const std::string& url, const std::string& name);

  static constexpr int max_attempts = 3;

  // For the owner:
  /// Whether any data of a sweep of this name exists.
  Expected<bool> exists();
  /// Publishes plan and cells; already published ones are skipped. Cells in `held`, whose results are stored elsewhere,
  /// are marked as done for workers.
  Status publish(const SweepPlan& plan, const std::set<std::string>& held);
  /// Removes failures recorded as results, and marks of held cells missing from `held`: the next publish() distributes
  /// those cells again.
  Status forget_failures(const std::set<std::string>& held);
  /// Worker messages for each failed cell: one text per attempt.
  Expected<std::map<std::string, std::vector<std::string>>> failures();
  /// The recorded run of a cell, as text; nothing if there is none (any more).
  Expected<std::optional<std::string>> run_of(const std::string& id);
  /// Call after it was imported into a database.
  Status forget_run(const std::string& id);
  /// Ids with results.
  Expected<std::set<std::string>> finished();
  Expected<std::optional<Json>> result(const std::string& id);

  // For workers:
  Expected<std::optional<SweepPlan>> plan();
  struct Taken {
    std::string message, id;
    SweepCell cell;
    bool from_another = false;  // whose worker did not renew within `lease_seconds`
  };
  /// The next cell for `worker`, or nothing for now.
  Expected<std::optional<Taken>> take(const std::string& worker, double lease_seconds);
  Expected<bool> has_result(const std::string& id);
  /// Stores result and run if there is none, then acknowledges. False: there was one.
  Expected<bool> finish(const Taken& taken, const Json& result, const std::string& run_text);
  /// Returns the cell to the queue for any worker; the last of max_attempts makes the failure its result.
  Status hand_back(const Taken& taken, const std::string& worker, const std::string& why);
  /// Renews the claim of `worker`, unless another has taken the cell over.
  Status renew(const std::string& worker, const Taken& taken);

 private:
  SweepQueue(std::unique_ptr<RedisConnection> connection, const std::string& name);
  Expected<RedisReply> ask(std::initializer_list<std::string_view> words);
  Expected<std::optional<Taken>> taken_from(const RedisReply& messages, bool from_another);

  std::unique_ptr<RedisConnection> connection_;
  std::string name_, plan_, cells_, published_, results_, runs_, failures_;
};

/// Renews a cell during its lifetime, on its own thread and connection.
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
