#include "ui/session/reading_check.h"

#include <algorithm>

#include "core/workload/continuation.h"
#include "ui/text/words.h"

namespace kvantage {

ReadingCheck::ReadingCheck(RunModel& run, TextOf text_of, QObject* parent)
    : QObject(parent), run_(run), text_of_(std::move(text_of)) {
  connect(&run_, &RunModel::servedChanged, this, [this] {
    look_at_requests();
    look();
  });
  connect(&run_.frontier, &FrontierModel::curvesChanged, this, &ReadingCheck::look);
}

// Any request will do: its record holds the answer with the uncompressed cache as well.
void ReadingCheck::look_at_requests() {
  if (!text_of_ || run_.has_stash()) return;
  constexpr int newest_rows = 64;
  const int rows = run_.requests.rowCount();
  for (int row = std::max(0, rows - newest_rows); row < rows && continued_.size() < max_probes; ++row) {
    const RequestRecord& record = run_.requests.row(row)->record;
    if (run_.requests.row(row)->running || !record.gold.empty() || record.reference_answer.empty()) continue;
    std::pair key{record.context_id, record.question};
    if (continued_.contains(key)) continue;
    if (const auto after = continuation_of(text_of_(record.context_id), record.question); !after.empty())
      continued_.emplace(std::move(key), continued_share(record.reference_answer, after));
  }
}

void ReadingCheck::look() {
  QString sentence;
  const QualityLevels& levels = run_.frontier.quality_levels();
  if (continued_.size() >= enough_probes) {
    double sum = 0;
    for (const auto& [question, share] : continued_) sum += share;
    if (const double mean = sum / static_cast<double>(continued_.size()); mean < min_continued)
      sentence = mean < 0.005
                     ? tr("This model cannot read this text: with the full KV cache it continues none of it correctly, "
                          "so quality shows how soon answers change, not how good they are.")
                     : tr("This model cannot read this text: with the full KV cache it continues only %1 % of it "
                          "correctly, so quality shows how soon answers change, not how good they are.")
                           .arg(100 * mean, 0, 'f', 0);
  } else if (continued_.empty() && levels.uncompressed && levels.chance && run_.frontier.family().isEmpty() &&
             *levels.uncompressed - *levels.chance < min_above_chance) {
    sentence =
        tr("This model cannot answer these questions: with the full KV cache it scores %1 (chance %2), so quality "
           "shows how soon answers change, not how good they are.")
            .arg(quality_text(*levels.uncompressed), quality_text(*levels.chance));
  }
  if (sentence == sentence_) return;
  sentence_ = sentence;
  emit changed();
}

}  // namespace kvantage
