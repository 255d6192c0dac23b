// Lengths grow by what has been learned, not by a plan: doubling too early leaves a model that answers in part.
// Before anything else comes a first lesson, one family with few names at twice the first length, until lookup by a
// key is there: all families at once leave a model for millions of tokens at picking one of the values at random.
#pragma once

#include <cstddef>
#include <deque>

#include "core/base/random.h"

namespace kvantage {

struct CurriculumOptions {
  std::size_t first_length = 64;
  std::size_t max_length = 2560;
  double first_accuracy = 0.6;
  double lesson_accuracy = 0.95;
  double later_accuracy = 0.935;
  double shorter_fraction = 0.4;
};

class Curriculum {
 public:
  static constexpr std::size_t window = 50;  // steps whose mean accuracy decides

  explicit Curriculum(const CurriculumOptions& options) : options_(options), length_(options.first_length) {}

  /// Length of the next batch: the present one, or a shorter stage.
  std::size_t draw(Random& random) const;
  /// Records the accuracy of a step and grows when the window is full and good enough.
  void record(std::size_t length, double accuracy);
  /// Grows if less than its share of the time is left: `elapsed` of the time before the decay, in [0, 1].
  void hurry(double elapsed);

  bool first_lesson() const { return first_lesson_; }
  void set_first_lesson(bool on) { first_lesson_ = on; }
  std::size_t length() const { return length_; }
  void set_length(std::size_t length) { length_ = length; }
  std::deque<double>& recent() { return recent_; }
  const std::deque<double>& recent() const { return recent_; }

 private:
  void grow();

  CurriculumOptions options_;
  std::size_t length_;
  bool first_lesson_ = true;
  std::deque<double> recent_;
};

/// Sequences of one length that make a step: 2,048 tokens at length 64, 4,096 from 128 on, never under two.
std::size_t sequences_per_step(std::size_t length);

}  // namespace kvantage
