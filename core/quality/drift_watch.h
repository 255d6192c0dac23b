// Whether contexts still get the quality that their profiles promise. Questions drift: what a profile measured may tell
// nothing of what is asked now. EvicPress (section 4.3) profiles a context again when the quality it achieves falls
// short of the profiled one by X, on the questions it has seen; figure 10 has X = 0.3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace kvantage::inline quality {

struct DriftRule {
  double threshold = 0.3;         // X: drift where achieved < (1 - X) * profiled
  double half_life_answers = 4;   // after so many answers an older one counts half
  std::uint64_t min_answers = 5;  // before that a mean says too little
  std::size_t max_questions = 8;  // remembered of a context, the newest different ones
};

/// What was found over a context's last answers: decayed means of what they scored and of what the profile said of the
/// configurations that they were answered from.
struct DriftFinding {
  double achieved_quality = 0, profiled_quality = 0;
  std::uint64_t answers = 0;
};

class DriftWatch {
 public:
  explicit DriftWatch(DriftRule rule = {}) : rule_(rule) {}
  void set_threshold(double threshold) { rule_.threshold = threshold; }
  /// Forgets everything.
  void reset(std::size_t contexts);

  /// An answer to `question` (the caller's number of it) scored `achieved` where the profile says `profiled`. A finding
  /// when that makes it drift; none while the context waits already.
  std::optional<DriftFinding> note(std::size_t context, std::size_t question, double achieved, double profiled);
  /// Contexts that wait to be profiled again, longest first.
  const std::deque<std::size_t>& waiting() const { return waiting_; }
  /// Different questions that the context was asked last, oldest first.
  std::vector<std::size_t> questions(std::size_t context) const;
  /// A new curve is in use, or there will be none: what was answered before says nothing of it.
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
