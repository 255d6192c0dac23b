// Distributes cells of a sweep through a Redis server: a stream with a consumer group gives each to one worker. A
// worker renews its claim every few seconds; a cell without renewal for a while goes to another. A result is stored
// under its cell's id before the cell is acknowledged, so a cell that runs twice counts once and none is lost. A failed
// cell returns to the queue; its failure becomes its result only after `max_attempts`. Keys:
// kvantage:sweep:NAME:{plan,cells,published,results,runs,failures}.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>

#include "app/cli/sweep/sweep_queue.h"
#include "tiers/remote/redis_connection.h"

namespace kvantage::cli {

class RedisQueue final : public SweepQueue {
 public:
  /// rejected_input: the server cannot be reached, does not answer or refuses, as for all commands below. Passwords
  /// come from with_credentials().
  static Expected<std::unique_ptr<RedisQueue>> connect(const std::string& url, const std::string& name);

  SweepPlace place() const override;
  Expected<bool> exists() override;
  Expected<bool> is_published() override;
  Status publish(const SweepPlan& plan, const std::set<std::string>& held) override;
  Status forget_failures(const std::set<std::string>& held) override;
  Expected<std::map<std::string, std::vector<std::string>>> failures() override;
  Expected<std::optional<std::string>> run_of(const std::string& id) override;
  Status forget_run(const std::string& id) override;
  Expected<std::set<std::string>> finished() override;
  Expected<std::optional<Json>> result(const std::string& id) override;
  Expected<std::optional<SweepPlan>> plan() override;
  Expected<std::optional<Taken>> take(const std::string& worker, double lease_seconds) override;
  Expected<bool> has_result(const std::string& id) override;
  Expected<bool> finish(const Taken& taken, const Json& result, const std::string& run_text) override;
  Status hand_back(const Taken& taken, const std::string& worker, const std::string& why) override;
  /// On a connection of its own.
  std::unique_ptr<SweepLease> renewing(const std::string& worker, const Taken& taken, double lease_seconds) override;
  double seconds_between_looks() const override { return 0.2; }

 private:
  RedisQueue(std::unique_ptr<RedisConnection> connection, std::string url, const std::string& name);
  Expected<RedisReply> ask(std::initializer_list<std::string_view> words);
  Expected<std::optional<Taken>> taken_from(const RedisReply& messages, bool from_another);
  /// Renews the claim of `worker`, unless another has taken the cell over.
  Status renew(const std::string& worker, const Taken& taken);

  std::unique_ptr<RedisConnection> connection_;
  std::string url_, name_, plan_, cells_, published_, results_, runs_, failures_;
};

}  // namespace kvantage::cli
