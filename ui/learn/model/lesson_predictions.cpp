#include "ui/learn/model/lesson_predictions.h"

#include <algorithm>
#include <cmath>

#include "ui/text/words.h"

namespace kvantage {
namespace {

using PredictionState = LessonPrediction::State;

}  // namespace

bool LessonPredictions::Entry::right() const {
  return prediction.state == PredictionState::compared && prediction.result &&
         guess_is_right(guess, prediction.number, prediction.choice, prediction.result->value);
}

void LessonPredictions::begin(const std::vector<LessonStep>& steps) {
  entries_.clear();
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps[i].guess.asked) entries_[static_cast<int>(i)] = {steps[i].title, steps[i].guess};
}

const LessonPrediction* LessonPredictions::at(int step) const {
  const auto found = entries_.find(step);
  return found == entries_.end() ? nullptr : &found->second.prediction;
}

bool LessonPredictions::is_open(int step) const {
  const LessonPrediction* prediction = at(step);
  return prediction && prediction->state == PredictionState::open;
}

bool LessonPredictions::is_committed(int step) const {
  const LessonPrediction* prediction = at(step);
  return prediction &&
         (prediction->state == PredictionState::committed || prediction->state == PredictionState::compared);
}

bool LessonPredictions::commit_number(int step, double number) {
  if (!is_open(step) || !std::isfinite(number)) return false;
  Entry& entry = entries_.at(step);
  const bool fits = entry.guess.kind == LessonGuess::Kind::curve_point ? number > 0
                    : entry.guess.kind == LessonGuess::Kind::number
                        ? number >= entry.guess.range.low && number <= entry.guess.range.high
                        : false;
  if (!fits) return false;
  entry.prediction = {PredictionState::committed, number, -1};
  emit changed(step);
  return true;
}

bool LessonPredictions::commit_choice(int step, int choice) {
  if (!is_open(step)) return false;
  Entry& entry = entries_.at(step);
  if (entry.guess.kind != LessonGuess::Kind::choice || choice < 0 ||
      static_cast<std::size_t>(choice) >= entry.guess.choices.size())
    return false;
  entry.prediction = {PredictionState::committed, 0, choice};
  emit changed(step);
  return true;
}

void LessonPredictions::skip(int step) {
  if (!is_open(step)) return;
  entries_.at(step).prediction.state = PredictionState::skipped;
  emit changed(step);
}

void LessonPredictions::compare(int step, const LessonMetric& result) {
  const LessonPrediction* prediction = at(step);
  if (!prediction || prediction->state != PredictionState::committed) return;
  Entry& entry = entries_.at(step);
  entry.prediction.state = PredictionState::compared;
  entry.prediction.result = result;
  emit changed(step);
}

void LessonPredictions::reopen(int step) {
  if (!asks(step) || is_open(step)) return;
  entries_.at(step).prediction = {};
  emit changed(step);
}

LessonPredictions::Score LessonPredictions::score() const {
  Score score;
  for (const auto& [step, entry] : entries_) {
    ++score.asked;
    score.skipped += entry.prediction.state == PredictionState::skipped;
    if (entry.prediction.state != PredictionState::compared) continue;
    (entry.right() ? score.right : score.wrong) += 1;
  }
  return score;
}

QString LessonPredictions::metric_text(const LessonGuess& guess, double value) const {
  const LessonMetricInfo* metric = find_lesson_metric(guess.value);
  return metric ? lesson_metric_text(*metric, value) : number_text(value);
}

QString LessonPredictions::guess_text(int step) const {
  if (!is_committed(step)) return {};
  const Entry& entry = entries_.at(step);
  if (entry.guess.kind == LessonGuess::Kind::choice)
    return entry.guess.choices[static_cast<std::size_t>(entry.prediction.choice)].text;
  return metric_text(entry.guess, entry.prediction.number);
}

// How far off, and whether that is right.
QString LessonPredictions::verdict(const Entry& entry) const {
  const LessonPrediction& prediction = entry.prediction;
  const double value = prediction.result->value;
  if (entry.guess.kind == LessonGuess::Kind::choice) {
    if (entry.right()) return tr("✓ Right");
    const auto& choices = entry.guess.choices;
    const auto fits = std::ranges::find_if(choices, [&](const auto& choice) { return choice.range.contains(value); });
    return fits == choices.end() ? tr("✗ Wrong") : tr("✗ Wrong; the result says: %1").arg(fits->text);
  }
  QString off;
  if (entry.guess.kind == LessonGuess::Kind::curve_point)
    off = tr("off by a factor of %1").arg(number_text(std::max(prediction.number / value, value / prediction.number)));
  else if (const double distance = std::abs(prediction.number - value); value != 0)
    off = tr("off by %1 (%2 of the result)")
              .arg(metric_text(entry.guess, distance), percent_text(distance / std::abs(value)));
  else
    off = tr("off by %1").arg(metric_text(entry.guess, distance));
  return entry.right() ? tr("✓ Right: %1, and up to %2 counts").arg(off, within_text(entry.guess))
                       : tr("✗ Wrong: %1, and up to %2 counts").arg(off, within_text(entry.guess));
}

QString LessonPredictions::result_text(int step) const {
  const LessonPrediction* prediction = at(step);
  if (!prediction || prediction->state == PredictionState::open) return {};
  if (prediction->state == PredictionState::skipped) return tr("Skipped: no prediction was committed.");
  const QString mine = tr("Your prediction: %1").arg(guess_text(step));
  if (prediction->state == PredictionState::committed) return mine + '\n' + tr("No result yet");
  const Entry& entry = entries_.at(step);
  const LessonMetric& result = *prediction->result;
  const QString found = metric_text(entry.guess, result.value), how = provenance_text(result.provenance);
  return mine + '\n' +
         (result.n > 0 ? tr("Result: %1 (%2, n = %3)").arg(found, how).arg(result.n)
                       : tr("Result: %1 (%2)").arg(found, how)) +
         '\n' + verdict(entry);
}

QString LessonPredictions::summary() const {
  const Score counted = score();
  QString text = tr("%1 of %2 right").arg(counted.right).arg(counted.asked);
  if (counted.skipped > 0) text += tr(", %1 skipped").arg(counted.skipped);
  const int unknown = counted.asked - counted.right - counted.wrong - counted.skipped;
  if (unknown > 0) text += tr(", %1 without a result").arg(unknown);
  for (const auto& [step, entry] : entries_) {
    const QString result = result_text(step);
    text += QStringLiteral("\n\n") + entry.title + '\n' + (result.isEmpty() ? tr("Not asked") : result);
  }
  return text;
}

}  // namespace kvantage
