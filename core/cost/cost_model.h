// Cost fits of prefill, question, tiers and codecs: timed at startup, then updated by requests. They are part of the
// snapshot that policies plan on.
#pragma once

#include <deque>
#include <vector>

#include "core/compress/method.h"
#include "core/cost/hit_planner.h"
#include "core/cost/tier_monitor.h"
#include "core/fits/fits.h"
#include "core/ports/session.h"
#include "core/request/request_task.h"
#include "core/store/engine_services.h"

namespace kvantage::inline cost {

/// A sliding window of samples (x, seconds) for a linear fit.
class SampleWindow {
 public:
  static constexpr std::size_t max = 64;
  static constexpr std::size_t min = 16;  // below this the startup timing is more accurate
  void add(double x, double seconds);
  bool is_enough() const { return x_.size() >= min; }
  bool is_empty() const { return x_.empty(); }
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

class CostModel final : public IntakeCost, public TierTiming {
 public:
  explicit CostModel(const EngineServices& services) : services_(services) {}

  /// Prefills parts of the longest context and loads entries of three sizes from every tier, at each start. `cancelled`
  /// when a command waits.
  Status time_all(const CostScope& scope);
  /// Prefills parts of the longest context and asks its questions over them. What requests have taught about both is
  /// forgotten; where they have taught nothing since it was timed, it is not timed again.
  Status time_model();
  /// Loads entries of three sizes. An unreachable tier keeps a default model so slow that no plan uses it. A tier whose
  /// throttle would make this delay requests starts with the throttle as its model, which live loads then correct. A
  /// tier whose writes or reads fail keeps what could be timed, with a warning.
  Status time_tier(std::size_t tier, const TierConfig& setting) override;
  /// What decoding costs and how large entries are, for those of `methods` that encode rows and were not timed yet.
  /// Prefills 512 tokens for those whose time depends on the rows; those that hold layer inputs are timed on the
  /// longest context.
  Status time_codecs(const std::vector<std::string>& methods);
  /// Adds the samples of a served request. served_from: placement of its stored entry, if any.
  void learn(const RequestTask& task, const Configuration& served_from);
  /// From now on samples are still collected, but the costs in the snapshot do not change.
  void freeze() { frozen_ = true; }
  double intake_seconds_per_byte() const override { return intake_seconds_per_byte_; }

 private:
  /// Seconds to prefill `length` tokens of the longest context; adds the times of some questions over them.
  Expected<double> time_prefill(std::size_t length, std::vector<double>& kept, std::vector<double>& question_seconds);
  QuestionModel question_of(std::span<const double> kept_tokens, std::span<const double> seconds) const;
  void time_intake();
  Status time_sizes(StorageTier& storage, const TierConfig& setting, TierFit& fit);
  Status time_row_codecs(const std::vector<std::shared_ptr<const Method>>& methods);
  Status time_inputs_codec(const Method& method);
  /// codec: that it is coded by; empty: plain rows.
  Expected<SerializedEntry> timing_entry(std::size_t length, const std::string& codec = {}) const;
  Status time_loads(StorageTier& storage, const SerializedEntry& entry, TierFit& fit);
  void learn_load(const LoadSample& sample, const Configuration& served_from);
  const std::vector<std::int32_t>& longest_tokens() const;
  Snapshot& snapshot() { return services_.catalog.snapshot(); }
  double seconds_since(std::int64_t start_ns) const;

  EngineServices services_;
  SampleWindow questions_, prefills_;        // by kept tokens, by tokens
  std::vector<PrefillModel> timed_at_rest_;  // fastest first
  double intake_seconds_per_byte_ = 0;
  bool frozen_ = false;
};

}  // namespace kvantage::inline cost
