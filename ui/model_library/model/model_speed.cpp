#include "ui/model_library/model/model_speed.h"

#include <QStringList>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/policy/types.h"
#include "ui/session/run_model.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr std::size_t speed_answers = 50;  // the latest ones that count
constexpr int speed_least_tokens = 3;      // of an answer: two have one gap

const QString speed_group = QStringLiteral("models/speeds");

QString speed_key(const QString& digest, const char* field) {
  return QStringLiteral("%1/%2/%3").arg(speed_group, digest, QLatin1String(field));
}

/// Decoded as the model alone decodes.
bool counts_for_speed(const RequestsModel::Row& row) {
  const RequestRecord& record = row.record;
  return !row.running && !record.cancelled && record.answer_tokens >= speed_least_tokens &&
         record.timing.mean_itl_seconds > 0 && !record.decoding.used() &&
         !(record.decoding.offload && record.decoding.offload->used()) &&
         !(record.decoding.speculation && record.decoding.speculation->drafted > 0) &&
         (record.provenance == Provenance::measured || record.provenance == Provenance::throttled);
}

double kept_rate(const QVariant& value) {
  const double rate = value.toDouble();
  return std::isfinite(rate) && rate > 0 ? rate : 0;
}

}  // namespace

ModelSpeed speed_of(const RunModel& run) {
  ModelSpeed speed;
  if (run.has_stash()) return speed;
  if (const auto snapshot = run.snapshot()) {
    const double seconds = snapshot->undisturbed_prefill().seconds(ModelSpeed::prefill_tokens);
    if (seconds > 0) speed.prefill_tokens_per_second = ModelSpeed::prefill_tokens / seconds;
  }
  std::vector<double> gaps;
  gaps.reserve(speed_answers);
  for (int row = run.requests.rowCount() - 1; row >= 0 && gaps.size() < speed_answers; --row)
    if (const RequestsModel::Row* one = run.requests.row(row); one != nullptr && counts_for_speed(*one))
      gaps.push_back(one->record.timing.mean_itl_seconds);
  if (!gaps.empty()) {
    const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
    std::nth_element(gaps.begin(), middle, gaps.end());
    speed.decode_tokens_per_second = 1 / *middle;
  }
  speed.answers = static_cast<int>(gaps.size());
  speed.device = to_q(run.info().device);
  return speed;
}

std::optional<ModelSpeed> MeasuredSpeeds::of(const QString& digest) const {
  if (digest.isEmpty()) return std::nullopt;
  ModelSpeed speed;
  speed.prefill_tokens_per_second = kept_rate(settings_.value(speed_key(digest, "prefill")));
  speed.decode_tokens_per_second = kept_rate(settings_.value(speed_key(digest, "decode")));
  speed.answers = settings_.value(speed_key(digest, "answers")).toInt();
  speed.device = settings_.value(speed_key(digest, "device")).toString();
  speed.measured = QDate::fromString(settings_.value(speed_key(digest, "date")).toString(), Qt::ISODate);
  if (!speed.is_known() || !speed.measured.isValid()) return std::nullopt;
  return speed;
}

void MeasuredSpeeds::keep(const QString& digest, const ModelSpeed& speed, const QDate& today) {
  if (digest.isEmpty() || !speed.is_known()) return;
  if (speed.prefill_tokens_per_second > 0)
    settings_.setValue(speed_key(digest, "prefill"), speed.prefill_tokens_per_second);
  if (speed.decode_tokens_per_second > 0) {
    settings_.setValue(speed_key(digest, "decode"), speed.decode_tokens_per_second);
    settings_.setValue(speed_key(digest, "answers"), speed.answers);
  }
  settings_.setValue(speed_key(digest, "device"), speed.device);
  settings_.setValue(speed_key(digest, "date"), today.toString(Qt::ISODate));
  settings_.beginGroup(speed_group);
  const QStringList digests = settings_.childGroups();
  settings_.endGroup();
  std::vector<std::pair<QString, QString>> by_date;
  by_date.reserve(static_cast<std::size_t>(digests.size()));
  for (const QString& one : digests) by_date.emplace_back(settings_.value(speed_key(one, "date")).toString(), one);
  std::sort(by_date.begin(), by_date.end());
  for (std::size_t at = 0; at + static_cast<std::size_t>(limit) < by_date.size(); ++at)
    if (by_date[at].second != digest) settings_.remove(QStringLiteral("%1/%2").arg(speed_group, by_date[at].second));
}

}  // namespace kvantage
