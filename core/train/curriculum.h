// Lengths grow with accuracy, not on a fixed schedule: doubling too early leaves a model that answers only partly.
// Training starts with a first lesson, one family with few names at twice the first length, until key lookup is
// learned. Starting with all families leaves a model picking values at random for millions of tokens.
#pragma once

#include <cstddef>
#include <deque>

#include "core/base/random.h"

namespace kvantage::inline training {

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

  /// Length of the next batch: the current one, or a shorter stage.
  std::size_t draw(Random& random) const;
  /// Records the accuracy of a step and grows when the window is full and good enough.
  void record(std::size_t length, double accuracy);
  /// Grows if the remaining time is less than its share: `elapsed` of the time before the decay, in [0, 1].
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

/// Sequences per step at a length: `factor` times 2,048 tokens at length 64, 4,096 from 128 on; at least one per shard.
std::size_t sequences_per_step(std::size_t length, std::size_t factor, std::size_t shards);

}  // namespace kvantage::inline training
