// Cells of a sweep on a Redis server: a stream with a consumer group hands each to one worker; a worker says every few
// seconds that it is at it, and a cell of which that was not said for a while goes to another. A result is set once under
// its cell's id before the cell is acknowledged, so a cell that was done twice counts once and none is lost.
// Keys: kvantage:sweep:NAME:{plan,cells,published,results}.
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
#include "tiers/redis_connection.h"

namespace kvantage::cli {

class SweepQueue {
 public:
  /// io, rejected_input: as RedisConnection. A password may come from KVANTAGE_REDIS_PASSWORD.
  static Expected<std::unique_ptr<SweepQueue>> connect(const std::string& url, const std::string& name);

  // Whoever gives out the work:
  /// Whether a sweep of this name is there.
  Expected<bool> exists();
  Status forget();
  /// Puts plan and cells there; those that were published before are not published again.
  Status publish(const SweepPlan& plan);
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
  /// Sets the result if there is none, then acknowledges. False: there was one.
  Expected<bool> finish(const Taken& taken, const Json& result);
  /// Says that `worker` is still at it, unless another has it by now.
  Status renew(const std::string& worker, const Taken& taken);

 private:
  SweepQueue(std::unique_ptr<RedisConnection> connection, const std::string& name);
  Expected<RedisReply> ask(std::initializer_list<std::string_view> words);
  Expected<std::optional<Taken>> taken_from(const RedisReply& messages, bool from_another);

  std::unique_ptr<RedisConnection> connection_;
  std::string plan_, cells_, published_, results_;
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
