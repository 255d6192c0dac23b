// Compute-or-load: a context's cache lies on a slow tier. Its tokens are cut into pieces; prefill computes pieces from
// the front, as a prefix needs nothing before it, while a loader reads pieces from the back, until they meet. With k
// pieces computed of n
//     t(k) = max(compute of [0, k), latency + bytes of [k, n) / bandwidth) + unpacking of [k, n) + what follows either
//     way
// Loaded pieces lie behind the computed ones and rows enter a cache in order, so unpacking comes when both are done.
// With equal pieces and neither latency nor unpacking the least is compute * load / (compute + load), the times of
// either alone. Everything here is predicted from fitted models; nothing looks at a clock: whoever asks says what time
// it is.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "core/policy/types.h"

namespace kvantage {

/// What of a context is computed or loaded as one.
struct ContextPiece {
  int tokens = 0;
  double bytes = 0;        // on the tier
  double kept_tokens = 0;  // that its rows are of, mean over layers and heads
};

/// Seconds, piece by piece.
struct ComputeOrLoadCosts {
  std::vector<double> compute;  // prefill over everything before the piece, beside the loader
  std::vector<double> load;     // transfer, without the latency
  std::vector<double> unpack;   // into the cache, once all is there
  double latency = 0;           // before the first byte of a tier at rest
  double after = 0;             // what follows either way: the question
  int pieces() const { return static_cast<int>(compute.size()); }
  /// t(k): the first `computed` pieces are computed, the others loaded. Computing nothing and loading nothing cost
  /// nothing.
  double seconds(int computed) const;
};

/// Prefill of tokens [a, b) is prefill.seconds(b) - prefill.seconds(a), its base paid by the first piece.
/// intake_seconds_per_byte: of a processor, to copy and check what arrives. A loader at work takes that from a thread
/// that computes, and the others wait for this one, so computing beside it takes 1 / (1 - intake * bandwidth) as long
/// (10 times at most).
ComputeOrLoadCosts compute_or_load_costs(const TierModel& tier, const PrefillModel& prefill,
                                         std::span<const ContextPiece> pieces, double after_seconds = 0,
                                         double intake_seconds_per_byte = 0);

enum class ComputeOrLoad { load_only, compute_only, both };
const char* to_string(ComputeOrLoad way);

struct ComputeOrLoadPlan {
  ComputeOrLoad way = ComputeOrLoad::load_only;
  int computed_pieces = 0;  // where they meet
  int computed_tokens = 0;
  double seconds = 0;  // predicted TTFT
  double load_only_seconds = 0;
  double compute_only_seconds = 0;
};

/// The k that takes least, of equals the smallest. If some are computed and some loaded there and that gains less than
/// a quarter of the first piece's computing on loading all, 0: both at work take time from each other, and a piece once
/// begun is waited for. costs and pieces are of the same context.
ComputeOrLoadPlan plan_compute_or_load(const ComputeOrLoadCosts& costs, std::span<const ContextPiece> pieces);

/// Who takes the next piece while both are at work: one takes a piece only if that ends sooner than leaving it to the
/// other, by the costs above, scaled by what each side took so far against what it was to take; the first piece from
/// the front only for a gain that the plan asks for, too. With costs that hold, they meet at the planned piece unless
/// unpacking a piece takes longer than computing it. No piece is given out twice, but for those that a loader gives
/// back.
class SplitController {
 public:
  /// fixed: so many pieces are computed and the others loaded, whatever that takes.
  explicit SplitController(ComputeOrLoadCosts costs, std::optional<int> fixed = {});

  /// The next piece from the front, or from the back; nothing: not now, as the other side is to be sooner, or they have
  /// met. Computing asks when it is done with the piece before. A loader is given more while fewer than two are under
  /// way or they are there within 10 ms: pieces of a fast tier take no longer than waking a thread on busy cores.
  std::optional<int> claim_front(double now);
  std::optional<int> claim_back(double now);
  /// The piece under way was computed; the oldest one under way was loaded (or failed to).
  void computed(double now);
  void loaded(double now);
  /// The loader gives back pieces below `piece` and loads nothing more: all of them will be computed.
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
    double began = 0;    // once the reads before it were done
    double latency = 0;  // paid by a read that finds the tier at rest
  };
  ComputeOrLoadCosts costs_;
  std::optional<int> fixed_;
  int front_ = 0, back_;
  bool loader_over_ = false;
  std::optional<double> computing_since_;
  std::deque<Read> reads_;
  double computed_took_ = 0, computed_expected_ = 0, loaded_took_ = 0, loaded_expected_ = 0;
};

}  // namespace kvantage
