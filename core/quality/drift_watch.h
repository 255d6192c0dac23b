// Whether contexts still reach the quality that their profiles promise. When questions drift, a profile says little
// about current ones. EvicPress (section 4.3) re-profiles a context on the questions it has seen when its quality falls
// short of the profile; ReprofileRule says by how much.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "core/ports/reprofile_rule.h"

namespace kvantage::inline quality {

struct DriftRule {
  ReprofileRule when = {};
  double half_life_answers = 4;   // half-life, in answers
  std::uint64_t min_answers = 5;  // below this a mean is too uncertain
  std::size_t max_questions = 8;  // kept per context, the newest distinct ones
};

/// Decayed means over a context's latest answers: their scores, and the profiled quality of the configurations that
/// served them.
struct DriftFinding {
  double achieved_quality = 0, profiled_quality = 0;
  std::uint64_t answers = 0;
};

class DriftWatch {
 public:
  explicit DriftWatch(DriftRule rule = {}) : rule_(rule) {}
  void use(const ReprofileRule& when) { rule_.when = when; }
  /// Drops all state.
  void reset(std::size_t contexts);

  /// Adds an answer to `question` (the caller's number) that scored `achieved`; the profile says `profiled`. Returns a
  /// finding when this makes the context drift; none while it is already queued.
  std::optional<DriftFinding> note(std::size_t context, std::size_t question, double achieved, double profiled);
  /// Contexts queued for re-profiling, longest wait first.
  const std::deque<std::size_t>& waiting() const { return waiting_; }
  /// The latest distinct questions about the context, oldest first.
  std::vector<std::size_t> questions(std::size_t context) const;
  /// A new curve is in use, or there will be none: earlier answers no longer count.
  void settle(std::size_t context);

 private:
  struct Watched {
    std::deque<std::size_t> questions;
    double weight = 0, achieved = 0, profiled = 0;  // decayed sums
    std::uint64_t answers = 0;
    bool waits = false;
  };

  DriftRule rule_;
  std::vector<Watched> contexts_;
  std::deque<std::size_t> waiting_;
};

}  // namespace kvantage::inline quality
