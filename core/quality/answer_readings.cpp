#include "core/quality/answer_readings.h"

#include <utility>

namespace kvantage::inline quality {

Expected<std::optional<LogitMetrics>> AnswerReadings::step(std::size_t index, const CatalogQuestion& question,
                                                           const KvCache& form) {
  if (reading_ == nullptr) {
    reading_original_ = !of_original_.contains(index) && passing_.positions == 0;
    reading_ = std::make_unique<ForcedReadTask>(runtime_, reading_original_ ? original_ : form, question.tokens,
                                                question.reference_tokens, question.reference_ended);
  }
  KV_TRY(reading_->step());
  if (!reading_->done()) return std::nullopt;
  ForcedReading reading = reading_->take();
  reading_.reset();
  if (reading_original_) {
    keep(index, std::move(reading));
    return std::nullopt;
  }
  const auto known = of_original_.find(index);
  LogitMetrics metrics = compare_readings(known == of_original_.end() ? passing_ : known->second, reading);
  passing_ = {};
  return metrics;
}

void AnswerReadings::keep(std::size_t index, ForcedReading reading) {
  const std::size_t bytes = reading.log_probabilities.size() * sizeof(float);
  if (reading.positions == 0 || bytes_ + bytes <= max_bytes_) {
    bytes_ += bytes;
    of_original_.emplace(index, std::move(reading));
  } else {
    passing_ = std::move(reading);
  }
}

}  // namespace kvantage::inline quality
