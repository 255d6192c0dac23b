// Tiers that other processes use too: what they did is seen between two requests. A tier whose server does not answer
// is said once, and timed when it is back. And what the tiers counted during a run.
#include "core/engine/engine_worker.h"

namespace kvantage {
namespace {

using Counts = std::map<std::string, std::uint64_t>;
Counts since(const Counts& now, const Counts& before) {
  Counts difference;
  for (const auto& [reason, count] : now) {
    const auto found = before.find(reason);
    if (const std::uint64_t more = count - (found == before.end() ? 0 : found->second); more > 0)
      difference[reason] = more;
  }
  return difference;
}

}  // namespace

void Engine::Worker::publish_counted(std::size_t tier) {
  const TierReport report = store_->report(tier);
  const TierStatistics& now = report.statistics;
  const TierStatistics before = tier < counted_before_.size() ? counted_before_[tier] : TierStatistics{};
  events_.publish(events::TierCounted{.tier = report.description.name,
                                      .kind = report.description.kind,
                                      .note = report.description.note,
                                      .reads = now.reads - before.reads,
                                      .read_bytes = now.read_bytes - before.read_bytes,
                                      .writes = now.writes - before.writes,
                                      .written_bytes = now.written_bytes - before.written_bytes,
                                      .dropped = now.dropped - before.dropped,
                                      .misses = since(now.misses, before.misses),
                                      .failed_writes = since(now.failed_writes, before.failed_writes),
                                      .fitted_loads = report.fit.fitted.loads,
                                      .fit_error_median = report.fit.fitted.median_fraction,
                                      .fit_error_p95 = report.fit.fitted.p95_fraction,
                                      .faults_struck = since(now.faults_struck, before.faults_struck)});
}

void Engine::Worker::attend_shared_tiers() {
  bool taken_in = false;
  const std::size_t tiers = store_->tier_count();
  reachable_.resize(tiers + 1, true);
  const auto attend = [&](std::size_t place, const StorageTier& tier) {
    const bool reachable = tier.reachable();
    if (reachable == reachable_[place]) return false;
    reachable_[place] = reachable;
    snapshot_changed_ = true;
    const TierDescription description = tier.describe();
    events_.publish(
        events::Message{reachable ? "info" : "warning",
                        "tier " + description.name + " " +
                            (reachable ? "is there again" : "is " + description.note + "; requests go on without it")});
    return reachable;
  };
  for (std::size_t t = 0; t < tiers; ++t) {
    const bool back = attend(t, store_->tier(t));
    if (back && store_->fit(t).samples() == 0)
      if (const Status timed = costs_->time_tier(t, settings_.tiers[t]); !timed)
        events_.publish(events::Message{"warning", timed.error().message});
    if (store_->take_in(t)) snapshot_changed_ = taken_in = true;
  }
  if (store_->archive() != nullptr) (void)attend(tiers, *store_->archive());
  if (store_->take_in_archive()) snapshot_changed_ = taken_in = true;
  if (taken_in) publish_taken("shared tier");
}

}  // namespace kvantage
