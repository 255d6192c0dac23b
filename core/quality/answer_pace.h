// How long an answer takes, by the latest batches: one of few forms with many questions has another pace than one of
// many forms with a question each.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

namespace kvantage::inline quality {

class AnswerPace {
 public:
  static constexpr std::size_t latest = 8;  // batches

  /// A batch of so many answers took so many seconds.
  void note(std::size_t answers, double seconds) {
    batches_.emplace_back(static_cast<double>(answers), seconds);
    if (batches_.size() > latest) batches_.pop_front();
  }
  /// Nothing before the first answer.
  std::optional<double> seconds_per_answer() const {
    double answers = 0, seconds = 0;
    for (const auto& [of_batch, took] : batches_) {
      answers += of_batch;
      seconds += took;
    }
    return answers > 0 ? std::optional(seconds / answers) : std::nullopt;
  }

 private:
  std::deque<std::pair<double, double>> batches_;  // answers, seconds
};

}  // namespace kvantage::inline quality
