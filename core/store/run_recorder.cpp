#include "core/store/run_recorder.h"

#include <ctime>
#include <map>
#include <utility>

#include "core/base/random.h"
#include "core/ports/recorded_snapshot.h"
#include "core/ports/run_calibration.h"

namespace kvantage::inline store {
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

std::string new_run_id(std::int64_t utc_ns) {
  const auto seconds = static_cast<std::time_t>(utc_ns / 1'000'000'000);
  std::tm time{};
  ::gmtime_r(&seconds, &time);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &time);
  const std::uint64_t tail = Random(static_cast<std::uint64_t>(utc_ns)).next();
  return std::string(text) + "-" + Digest128{0, tail}.hex().substr(24);
}

void RunRecorder::open(const std::string& id, Json facts) {
  id_ = id;
  facts_ = std::move(facts);
  served_ = 0;
  if (runs_ == nullptr) return;
  if (const Status begun = runs_->begin_run(id_, facts_); !begun)
    services_.events.publish(events::Message{"error", "run is not recorded: " + begun.error().message});
}

void RunRecorder::begin() {
  EventBus& events = services_.events;
  events.restart_sequence();
  journal_.set_in_run(true);
  events.publish(events::RunStarted{id_, std::exchange(facts_, {})});
  device_before_ = services_.runtime.device_gauges();
  tiers_before_.clear();
  CacheStore& store = services_.store;
  for (std::size_t t = 0; t < store.tiers().count(); ++t) {
    const TierState& tier = services_.catalog.snapshot().tiers[t];
    events.publish(events::TierFitted{tier.name, tier.model, store.tiers().fit(t).samples(), tier.throttled});
    store.publish_occupancy(static_cast<int>(t));
    tiers_before_.push_back(store.tiers()[t].statistics());
  }
  publish_snapshot("start");
}

void RunRecorder::on_first_token() {
  ++served_;
  publish_trouble();
}

void RunRecorder::publish_trouble() {
  if (runs_ == nullptr) return;
  if (const auto trouble = runs_->take_trouble())
    services_.events.publish(events::Message{"error", "run is not recorded: " + trouble->message});
}

void RunRecorder::finish(const std::string& outcome) {
  for (std::size_t t = 0; t < services_.store.tiers().count(); ++t) publish_tier(t);
  publish_counted();
  services_.events.publish(events::RunFinished{id_, outcome, served_});
  journal_.set_in_run(false);
  if (runs_ != nullptr)
    if (const Status finished = runs_->finish_run(id_, outcome); !finished)
      services_.events.publish(events::Message{"error", "the run's record is incomplete: " + finished.error().message});
  publish_trouble();  // of the last commit
  id_.clear();
}

Status RunRecorder::save_calibration(const std::string& id, const std::vector<double>& seconds) {
  if (runs_ == nullptr) return {};
  Status saved = runs_->save_result(id, calibration_result, seconds);
  if (!saved && saved.error().code == ErrorCode::not_found) return {};  // that it has none was said when it began
  return saved;
}

void RunRecorder::publish_snapshot(const std::string& reason) {
  if (!in_run()) return;
  const Snapshot& snapshot = services_.catalog.snapshot();
  services_.events.publish(recorded_snapshot(snapshot, reason));
  published_costs_ = recorded_costs(snapshot);
}

void RunRecorder::publish_costs() {
  if (!in_run()) return;
  events::CostsFitted costs = recorded_costs(services_.catalog.snapshot());
  if (published_costs_ && same_costs(*published_costs_, costs)) return;
  published_costs_ = costs;
  services_.events.publish(std::move(costs));
}

void RunRecorder::publish_counted() {
  events::EngineCounted counted = counters_.so_far();
  counted.model_device = services_.runtime.device_gauges();
  if (counted.model_device && device_before_) counted.model_device = counted.model_device->since(*device_before_);
  services_.events.publish(std::move(counted));
}

void RunRecorder::publish_tier(std::size_t tier) {
  const TierReport report = services_.store.tiers().report(tier);
  const TierStatistics& now = report.statistics;
  const TierStatistics before = tier < tiers_before_.size() ? tiers_before_[tier] : TierStatistics{};
  services_.events.publish(events::TierCounted{.tier = report.description.name,
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
                                               .injected_faults = since(now.injected_faults, before.injected_faults)});
}

}  // namespace kvantage::inline store
