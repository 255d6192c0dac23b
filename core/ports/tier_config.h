// A tier as configured: one type for the command line, session.json, the engine, the window and the code that opens it.
// Its text form is in tiers/kinds/tier_text.h.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/policy/types.h"
#include "core/ports/tier_kind.h"

namespace kvantage::inline ports {

/// Capacity of a tier: bytes, a percentage of the workload's full KV bytes (all its contexts uncompressed, headers
/// included), or unlimited. A percentage is resolved to bytes once the full bytes are known.
class TierBudget {
 public:
  /// For planners, which compare numbers.
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
  /// 0 where it is missing or a percentage, unlimited_bytes where there is no limit.
  constexpr std::uint64_t bytes() const { return bytes_; }
  /// As StorageTier::set_capacity takes it: 0 where there is no limit.
  constexpr std::uint64_t capacity_bytes() const { return is_unlimited() ? 0 : bytes_; }
  constexpr double percent() const { return percent_; }
  /// A percentage resolved to bytes, at least one; other budgets unchanged.
  TierBudget of(std::uint64_t full_bytes) const;

  constexpr bool operator==(const TierBudget&) const = default;

 private:
  std::uint64_t bytes_ = 0;
  double percent_ = 0;
};

/// Parses "64MiB", "40%", "unlimited". The usage error holds only the reason.
Expected<TierBudget> parse_budget(std::string_view text);
/// The text that parse_budget reads back: "67108864", "40%", "unlimited"; empty where none is given.
std::string to_string(const TierBudget& budget);

/// What a tier may be limited to.
inline constexpr double min_tier_bandwidth = 1000, max_tier_latency_seconds = 10;
inline constexpr double min_load_per_prefill = 1e-3, max_load_per_prefill = 1e3;

/// A tier limited to a bandwidth and a latency.
struct TierThrottle {
  double bytes_per_second = 0;  // 0 = unthrottled
  double latency_seconds = 0;   // added to every read and write
  /// Seconds to load a token / seconds to prefill it, from which resolve_bandwidths() sets bytes_per_second; 0: none.
  double load_per_prefill = 0;
  bool is_relative() const { return load_per_prefill > 0; }
  bool any() const { return bytes_per_second > 0 || latency_seconds > 0 || is_relative(); }
  bool operator==(const TierThrottle&) const = default;
};

/// Parses a bandwidth relative to prefill, "prefill/0.45": loading takes 0.45 of the seconds that prefill takes. The
/// usage error holds only the reason.
Expected<double> parse_load_per_prefill(std::string_view text);
/// The text that parse_load_per_prefill reads back.
std::string load_per_prefill_text(double load_per_prefill);

/// The reserved name of the store that keeps originals and serves no request (SessionSettings::archive).
inline constexpr std::string_view archive_name = "archive";
/// The source of requests that read no tier; no tier may have this name.
inline constexpr std::string_view prefill_source = "prefill";

/// What the name of a tier stands for.
enum class TierRole : std::uint8_t { serving, archive, prefill };
/// The only place that compares a name with the reserved ones; configurations and recorded events ask it.
TierRole role_of(std::string_view tier_name);

struct TierConfig {
  std::string name = {};
  TierBudget budget = {};
  TierThrottle throttle = {};
  std::map<std::string, std::string> options = {};  // options of its kind, by key
  std::string faults = {};  // injected into its files, text form of core/ports/fault_plan.h; empty: none
  /// The id of its kind; empty where options and name imply it. Files written from now on always have it.
  std::string kind = {};

  /// Empty where it is missing.
  const std::string& option(const std::string& key) const;
  bool is_archive() const { return role_of(name) == TierRole::archive; }
  bool operator==(const TierConfig&) const = default;
};

/// The only place that infers a tier's kind: from an option that implies one (url), else from a name equal to a kind,
/// else a folder.
const TierKind& implied_kind(std::string_view name, const std::map<std::string, std::string>& options);
/// `config.kind`, else the implied one; an unknown id also falls back to the implied one: check_tier rejects it.
const TierKind& kind_of(const TierConfig& config);
/// The kind that a name alone suggests, for tables that hold nothing else of a tier; null for any other name.
const TierKind* suggested_kind(std::string_view name);

/// Validates one tier without opening it: kind, budget, throttle, options, faults. The usage error holds the reason and
/// the right form, without the tier's name. check_place() validates what only a place knows (tiers/kinds/tier_place.h).
Status check_tier(const TierConfig& config);
/// "path, bandwidth, latency, faults, kind, and url, ca, prefix, .. of a remote store, and url, ca, .. of a bucket".
std::string known_tier_options();

/// Resolves percentages to bytes of `full_bytes`. Returns a log line for each.
std::vector<std::string> resolve_budgets(std::vector<TierConfig>& tiers, std::uint64_t full_bytes);

/// Replaces relative bandwidths by bytes per second, by the fits of `snapshot`, whose tiers are the same: loading all
/// contexts uncompressed, latency and unpacking included, takes load_per_prefill of prefilling them. A tier that is too
/// slow for that runs at full speed. Returns a log line for each.
std::vector<std::string> resolve_bandwidths(std::vector<TierConfig>& tiers, const Snapshot& snapshot);

}  // namespace kvantage::inline ports
