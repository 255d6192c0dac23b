#include "core/train/curriculum.h"

#include <algorithm>
#include <numeric>

namespace kvantage::inline training {

std::size_t Curriculum::draw(Random& random) const {
  std::size_t shorter_stages = 0;
  for (std::size_t l = options_.first_length; l < length_; l *= 2) ++shorter_stages;
  if (shorter_stages == 0 || random.uniform() >= options_.shorter_fraction) return length_;
  return options_.first_length << random.below(shorter_stages);
}

void Curriculum::record(std::size_t length, double accuracy) {
  if (length != length_) return;
  recent_.push_back(accuracy);
  if (recent_.size() > window) recent_.pop_front();
  if (recent_.size() < window || (length_ >= options_.max_length && !first_lesson_)) return;
  const double mean = std::accumulate(recent_.begin(), recent_.end(), 0.0) / static_cast<double>(window);
  if (first_lesson_ && length_ > options_.first_length) {
    if (mean < options_.lesson_accuracy) return;
    first_lesson_ = false;
    recent_.clear();
  } else if (mean >= (length_ == options_.first_length ? options_.first_accuracy : options_.later_accuracy)) {
    grow();
  }
}

void Curriculum::hurry(double elapsed) {
  constexpr double latest_lesson = 0.3;
  if (first_lesson_ && elapsed > latest_lesson) first_lesson_ = false;
  if (first_lesson_) return;
  // The longest texts should get at least the last 40 % of the time before the decay.
  constexpr double latest = 0.6;
  std::size_t stages = 0;
  std::size_t present = 0;
  for (std::size_t l = options_.first_length; l < options_.max_length; l *= 2) {
    ++stages;
    if (l < length_) ++present;
  }
  if (length_ < options_.max_length &&
      elapsed > latest * static_cast<double>(present + 1) / static_cast<double>(stages))
    grow();
}

void Curriculum::grow() {
  length_ = std::min(length_ * 2, options_.max_length);
  recent_.clear();
}

std::size_t sequences_per_step(std::size_t length, std::size_t factor, std::size_t shards) {
  const std::size_t tokens = factor * (length < 128 ? 2048 : 4096);
  const std::size_t sequences = std::max<std::size_t>(1, tokens / length);
  return (sequences + shards - 1) / shards * shards;
}

}  // namespace kvantage::inline training
