// What things cost in time: fits of prefill, question, tiers and codecs, from a timing at the start and from requests
// since. Kept in the snapshot that policies plan on.
#pragma once

#include <deque>
#include <vector>

#include "core/fits/fits.h"
#include "core/ports/session.h"
#include "core/request/request_task.h"
#include "core/store/engine_services.h"

namespace kvantage::inline cost {

/// A window of pairs (x, seconds) that a line is fitted to.
class SampleWindow {
 public:
  static constexpr std::size_t most = 64;
  static constexpr std::size_t least = 16;  // before that, what was timed at the start says more
  void add(double x, double seconds);
  bool is_enough() const { return x_.size() >= least; }
  std::vector<double> x() const { return {x_.begin(), x_.end()}; }
  std::vector<double> seconds() const { return {seconds_.begin(), seconds_.end()}; }

 private:
  std::deque<double> x_, seconds_;
};

/// The settings that costs depend on.
struct CostScope {
  std::vector<TierConfig> tiers;     // as the session's, fastest first
  std::vector<std::string> methods;  // candidates, text forms
};

class CostModel {
 public:
  explicit CostModel(const EngineServices& services) : services_(services) {}

  /// Prefills parts of the longest context once each and loads entries of three sizes from every tier: less than a
  /// second, measured again at each start. `cancelled` when a command waits.
  Status time_all(const CostScope& scope);
  /// Loads entries of three sizes. A tier that does not answer keeps a model that no plan finds fast; one shaped so
  /// slow that this would hold requests up starts with its shape as the model, which live loads then correct.
  Status time_tier(std::size_t tier, const TierConfig& setting);
  /// Learns from a request that was served. served_from: where its stored entry is, if it had one.
  void learn(const RequestTask& task, const Configuration& served_from);
  /// From now on the snapshot keeps the costs it has: samples are taken, fits change nothing.
  void freeze() { frozen_ = true; }
  /// Of a processor, to check what arrives.
  double intake_seconds_per_byte() const { return intake_seconds_per_byte_; }

 private:
  Status time_model();
  Status time_codecs(const std::vector<std::string>& methods);
  void time_intake();
  Status time_sizes(StorageTier& storage, const TierConfig& setting, TierFit& fit);
  Expected<SerializedEntry> timing_entry(std::size_t length) const;
  Status time_loads(StorageTier& storage, const SerializedEntry& entry, TierFit& fit);
  void learn_load(const LoadSample& sample, const Configuration& served_from);
  const std::vector<std::int32_t>& longest_tokens() const;
  Snapshot& snapshot() { return services_.catalog.snapshot(); }
  double seconds_since(std::int64_t start_ns) const;

  EngineServices services_;
  SampleWindow questions_, prefills_;  // by kept tokens, by tokens
  double intake_seconds_per_byte_ = 0;
  bool frozen_ = false;
};

}  // namespace kvantage::inline cost
