// Distributes cells of a sweep through a folder that all workers see, on a shared file system: OUT/queue with
//   plan.json              the plan
//   claims/ID.1, ID.2, …   who has the cell: the highest number counts, and only one can create it (O_EXCL)
//   results/ID.json        its result, or how it failed; the first one stays (publish_once.h)
//   runs/RUN.run           the recorded run of a result
//   failures/ID.1, …       attempts that failed
// A claim holds a number that its worker increases. Who waits sees whether it changes, on its own clock: clocks of
// machines are never compared. A claim that does not change for a lease is followed by one of the next number. After
// max_attempts claims whose workers are gone, the cell itself is taken for the cause, and has failed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/cli/sweep/sweep_queue.h"
#include "core/base/clock.h"

namespace kvantage::cli {

class FolderQueue final : public SweepQueue {
 public:
  /// Nothing is read or written. The functions below fail with rejected_input, no_space or io where the folder cannot
  /// be used.
  FolderQueue(const std::filesystem::path& out, std::shared_ptr<const Clock> clock);

  SweepPlace place() const override;
  Expected<bool> exists() override;
  Expected<bool> is_published() override { return exists(); }
  Status publish(const SweepPlan& plan, const std::set<std::string>& held) override;
  Status forget_failures(const std::set<std::string>& held) override;
  Expected<std::map<std::string, std::vector<std::string>>> failures() override;
  Expected<std::optional<std::string>> run_of(const std::string& id) override;
  Status forget_run(const std::string& id) override;
  Expected<std::set<std::string>> finished() override;
  Expected<std::optional<Json>> result(const std::string& id) override;
  bool has_claims() const override;
  Expected<std::optional<SweepPlan>> plan() override;
  Expected<std::optional<Taken>> take(const std::string& worker, double lease_seconds) override;
  Expected<bool> has_result(const std::string& id) override;
  Expected<bool> finish(const Taken& taken, const Json& result, const std::string& run_text) override;
  Status hand_back(const Taken& taken, const std::string& worker, const std::string& why) override;
  /// At its end the cell is free at once, unless it has a result.
  std::unique_ptr<SweepLease> renewing(const std::string& worker, const Taken& taken, double lease_seconds) override;
  double seconds_between_looks() const override { return 0.5; }

 private:
  struct Seen {
    int number = 0;
    std::string text;
    std::int64_t since_ns = 0;  // of our own clock
  };
  std::filesystem::path result_file(const std::string& id) const { return folder_ / "results" / (id + ".json"); }
  Expected<std::optional<std::filesystem::path>> run_file(const std::string& id);
  /// The highest number of each cell that was ever claimed.
  Expected<std::map<std::string, int>> claims() const;
  /// The next claim; nothing where another one has or gets it.
  Expected<std::optional<Taken>> claim(const std::string& id, const SweepCell& cell, int number,
                                       const std::string& worker, double lease_seconds);
  bool is_left(const std::string& id, int number, const std::string& text, double lease_seconds);
  /// An attempt that failed; the last one is the result.
  Expected<int> add_failure(const std::string& id, const SweepCell& cell, const std::string& worker,
                            const std::string& why);

  std::filesystem::path out_, folder_;
  std::shared_ptr<const Clock> clock_;
  std::vector<std::pair<std::string, SweepCell>> cells_;  // of the plan, once it was read to take from it
  std::map<std::string, Seen> seen_;                      // claims of others, by cell
};

}  // namespace kvantage::cli
