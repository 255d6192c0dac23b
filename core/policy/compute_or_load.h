// Compute-or-load (hybrid prefill) of a context whose cache is on a slow tier. Its tokens are split into pieces.
// Prefill computes pieces from the front, as a prefix depends on nothing before it, while a loader reads pieces from
// the back, until they meet. With k of n pieces computed
//     t(k) = max(compute of [0, k), latency + bytes of [k, n) / bandwidth) + unpacking of [k, n) + time after both
// Loaded pieces come after the computed ones and rows enter a cache in order, so unpacking waits for both. With equal
// pieces and neither latency nor unpacking, the minimum is compute * load / (compute + load), the times of either
// alone. Everything here is predicted from fitted models. No clock is read: callers pass the time.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/policy/types.h"

namespace kvantage::inline policy {

/// A unit of a context that is computed or loaded as one.
struct ContextPiece {
  int tokens = 0;
  double bytes = 0;        // on the tier
  double kept_tokens = 0;  // that its rows represent, mean over layers and heads
};

/// Seconds per piece.
struct ComputeOrLoadCosts {
  std::vector<double> compute;  // prefill over everything before the piece, with the loader running
  std::vector<double> load;     // transfer, without the latency
  std::vector<double> unpack;   // into the cache, once everything is loaded
  double latency = 0;           // before the first byte of an idle tier
  double after = 0;             // after either path: the question
  int pieces() const { return static_cast<int>(compute.size()); }
  /// t(k): the first `computed` pieces are computed, the others loaded. Computing nothing and loading nothing are free.
  double seconds(int computed) const;
};

/// Prefill of tokens [a, b) is prefill.seconds(b) - prefill.seconds(a); the first piece pays its base.
/// intake_seconds_per_byte: CPU time to copy and verify arriving bytes. An active loader takes that from a compute
/// thread, and the other threads wait for it, so computing takes 1 / (1 - intake * bandwidth) as long (10 times at
/// most).
ComputeOrLoadCosts compute_or_load_costs(const TierModel& tier, const PrefillModel& prefill,
                                         std::span<const ContextPiece> pieces, double after_seconds = 0,
                                         double intake_seconds_per_byte = 0);

enum class ComputeOrLoad { load_only, compute_only, both };
const char* to_string(ComputeOrLoad way);

struct ComputeOrLoadPlan {
  ComputeOrLoad way = ComputeOrLoad::load_only;
  int computed_pieces = 0;  // split point
  int computed_tokens = 0;
  double seconds = 0;  // predicted TTFT
  double load_only_seconds = 0;
  double compute_only_seconds = 0;
};

/// How stored contexts may be served, besides by loading them.
struct ServingWays {
  bool hybrid = true;   // the front is computed while the back loads
  bool prefill = true;  // all of it is computed, and nothing is read
  bool any() const { return hybrid || prefill; }
  bool operator==(const ServingWays&) const = default;
};
/// "auto": both; "hybrid", "prefill": that one; "off": neither. Nothing for any other text.
std::optional<ServingWays> serving_ways(std::string_view text);
const char* to_string(const ServingWays& ways);

/// The k with the least time; on ties the smallest. 0 if a mixed plan gains less than a quarter of the first piece's
/// compute time over loading everything: both sides slow each other down, and a started piece is never abandoned. costs
/// and pieces are of the same context.
ComputeOrLoadPlan plan_compute_or_load(const ComputeOrLoadCosts& costs, std::span<const ContextPiece> pieces,
                                       const ServingWays& ways = {});

/// For an entry that cannot be read in parts: everything is computed if that is faster, else everything is loaded.
ComputeOrLoadPlan plan_all_or_nothing(const ComputeOrLoadCosts& costs, std::span<const ContextPiece> pieces);

/// Seconds to the first token where everything is loaded: the question's layers follow the load's, so that of the
/// shorter of the two only one layer adds to the time.
double load_alone_seconds(const ComputeOrLoadCosts& costs, int layers);

/// Minimum predicted gain over loading alone, as a share of its time.
inline constexpr double min_gain = 0.05;

/// Whether the plan is so much faster than loading alone that it is chosen.
bool beats_loading(const ComputeOrLoadPlan& plan, double load_alone_seconds);

/// Predicted TTFT of a context of `tokens` that is stored in `bytes` with `kept` of its tokens, if a front of it would
/// be computed while its back loads. Nothing: it would be loaded, or not read at all, so that no plan should keep it
/// there. Its pieces are taken to be alike.
std::optional<double> hybrid_prefill_seconds(const TierModel& tier, const PrefillModel& prefill,
                                             const HybridServing& serving, int tokens, double bytes, double kept,
                                             double after_seconds);

/// Assigns pieces while both sides run. A side takes a piece only if it finishes it earlier than the other would, by
/// the costs above scaled by each side's measured pace. The first piece from the front also needs the gain that the
/// plan requires. With exact costs, they meet at the planned piece unless unpacking a piece takes longer than computing
/// it. No piece is assigned twice, except those that a loader returns.
class SplitController {
 public:
  /// fixed: this many pieces are computed and the others loaded, regardless of timing.
  explicit SplitController(ComputeOrLoadCosts costs, std::optional<int> fixed = {});

  /// The next piece from the front, or from the back; nothing: not now, as the other side should be faster, or they
  /// have met. Compute claims after each finished piece. A loader gets more while fewer than two are in flight or they
  /// complete within 10 ms: pieces of a fast tier take no longer than a thread wakeup on busy cores.
  std::optional<int> claim_front(double now);
  std::optional<int> claim_back(double now);
  /// The claimed front piece was computed; the oldest piece in flight was loaded (or failed).
  void computed(double now);
  void loaded(double now);
  /// The loader returns pieces below `piece` and loads nothing more: all of them will be computed.
  void give_back(int piece);

  /// Pieces [0, front) were claimed by computing, [back, n) by the loader.
  int front() const { return front_; }
  int back() const { return back_; }
  bool all_claimed() const { return front_ == back_; }

 private:
  double scale(double took, double expected) const { return expected > 0 ? took / expected : 1.0; }
  double compute_seconds(int piece) const {
    return costs_.compute[static_cast<std::size_t>(piece)] * scale(computed_took_, computed_expected_);
  }
  double load_seconds(int piece) const {
    return costs_.load[static_cast<std::size_t>(piece)] * scale(loaded_took_, loaded_expected_);
  }
  double compute_free_at(double now) const;
  double link_free_at(double now) const;
  bool front_is_worth_beginning(double now) const;

  struct Read {
    int piece = 0;
    double began = 0;    // after the reads before it finished
    double latency = 0;  // paid by a read that finds the tier idle
  };
  ComputeOrLoadCosts costs_;
  std::optional<int> fixed_;
  int front_ = 0, back_;
  bool loader_over_ = false;
  std::optional<double> computing_since_;
  std::deque<Read> reads_;
  double computed_took_ = 0, computed_expected_ = 0, loaded_took_ = 0, loaded_expected_ = 0;
};

}  // namespace kvantage::inline policy
