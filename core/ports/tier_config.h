// A tier as it is configured: one type for the command line, session.json, the engine, the window and who opens it.
// Its text form is tiers/kinds/tier_text.h.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/ports/tier_kind.h"

namespace kvantage {

/// What a tier may hold: bytes, a percentage of the workload's full KV bytes (all its contexts uncompressed, headers
/// included), or as much as there is. A percentage becomes bytes once, where the full bytes are known.
class TierBudget {
 public:
  /// To planners, which compare numbers.
  static constexpr std::uint64_t unlimited_bytes = std::numeric_limits<std::uint64_t>::max();
  static constexpr double max_percent = 1e6;

  /// Not given: 0 bytes.
  constexpr TierBudget() = default;
  constexpr TierBudget(std::uint64_t bytes) : bytes_(bytes) {}  // implicit: most budgets are bytes
  static constexpr TierBudget unlimited() { return TierBudget(unlimited_bytes); }
  static constexpr TierBudget percent(double percent) {
    TierBudget budget;
    budget.percent_ = percent;
    return budget;
  }

  constexpr bool is_given() const { return bytes_ > 0 || is_percent(); }
  constexpr bool is_percent() const { return percent_ > 0; }
  constexpr bool is_unlimited() const { return bytes_ == unlimited_bytes; }
  /// 0 where it is not given or a percentage, unlimited_bytes where there is no limit.
  constexpr std::uint64_t bytes() const { return bytes_; }
  /// As StorageTier::set_capacity takes it: 0 where there is no limit.
  constexpr std::uint64_t capacity_bytes() const { return is_unlimited() ? 0 : bytes_; }
  constexpr double percent() const { return percent_; }
  /// A percentage as bytes, at least one; anything else as it is.
  TierBudget of(std::uint64_t full_bytes) const;

  constexpr bool operator==(const TierBudget&) const = default;

 private:
  std::uint64_t bytes_ = 0;
  double percent_ = 0;
};

/// "64MiB", "40%", "unlimited". usage error with the reason alone.
Expected<TierBudget> parse_budget(std::string_view text);
/// What parse_budget reads back: "67108864", "40%", "unlimited"; empty where none is given.
std::string to_string(const TierBudget& budget);

/// A tier limited to a bandwidth and a latency.
struct TierThrottle {
  double bytes_per_second = 0;  // 0 = as fast as it is
  double latency_seconds = 0;   // added to every read and write
  bool any() const { return bytes_per_second > 0 || latency_seconds > 0; }
  bool operator==(const TierThrottle&) const = default;
};

struct TierConfig {
  std::string name = {};
  TierBudget budget = {};
  TierThrottle throttle = {};
  std::map<std::string, std::string> options = {};  // where it is: the options of its kind, by key
  std::string faults = {};  // injected into its files, text form of core/ports/fault_plan.h; empty: none
  /// The id of its kind; empty where it is the one that options and name imply, as in every file written so far.
  std::string kind = {};

  /// Empty where it is not given.
  const std::string& option(const std::string& key) const;
  bool operator==(const TierConfig&) const = default;
};

/// The one place where options and name say what a tier is: an option that implies a kind (url), else the kind of that
/// name, else a folder.
const TierKind& implied_kind(std::string_view name, const std::map<std::string, std::string>& options);
/// `config.kind`, else the implied one; an id that is none is taken for the implied one, too: check_tier refuses it.
const TierKind& kind_of(const TierConfig& config);

/// Everything that can be said of one tier without opening it: kind, budget, throttle, options, faults. usage error
/// with the reason and the right form, without the tier's name. What only a place knows, check_place() says
/// (tiers/kinds/tier_place.h).
Status check_tier(const TierConfig& config);
/// "path, bandwidth, latency, faults, kind, and url, ca, prefix, connect, timeout of a remote store".
std::string known_tier_options();

/// Percentages become bytes of `full_bytes`. A line for each of them, fit for a log.
std::vector<std::string> resolve_budgets(std::vector<TierConfig>& tiers, std::uint64_t full_bytes);

/// The name of the one place that keeps originals and serves no request (SessionSettings::archive).
inline constexpr std::string_view archive_name = "archive";
/// Where requests came from that read no tier: no tier has this name either.
inline constexpr std::string_view prefill_source = "prefill";

}  // namespace kvantage
