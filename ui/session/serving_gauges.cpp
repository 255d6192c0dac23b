#include "ui/session/serving_gauges.h"

#include <unistd.h>

#include <QFile>
#include <algorithm>

namespace kvantage {

ServingGauges serving_gauges(const RunModel& run, const SessionSettings& committed) {
  constexpr int looked_at = 50;  // as many as the rate of requests is taken over
  ServingGauges gauges;
  const bool throttled =
      std::ranges::any_of(committed.tiers, [](const TierConfig& tier) { return tier.throttle.any(); });
  if (throttled) gauges.provenance = Provenance::throttled;
  int answered = 0;
  double tokens = 0;
  const int rows = run.requests.rowCount();
  // Requests in flight are among the latest, because rows are in the order of their start.
  for (int r = rows - 1; r >= std::max(0, rows - looked_at - max_batch); --r) {
    const RequestsModel::Row& row = *run.requests.row(r);
    if (row.running) ++gauges.running;
    if (row.running || row.record.cancelled || answered == looked_at) continue;
    if (answered == 0) {
      // A prefill reads no tier: beside throttled tiers it does not make what is shown measured.
      if (row.record.provenance != Provenance::measured) gauges.provenance = row.record.provenance;
      // Whoever was served last had waited this long: so many have arrived behind it since.
      if (committed.requests_per_second > 0)
        gauges.waiting = row.record.timing.queue_seconds * committed.requests_per_second;
    }
    ++answered;
    tokens += row.record.answer_tokens;
  }
  if (run.state() != RunState::running) {
    gauges.running = run.state() == RunState::paused ? gauges.running : 0;
    gauges.waiting = 0;
    return gauges;
  }
  if (answered > 0) gauges.tokens_per_second = run.requests_per_second() * tokens / answered;
  return gauges;
}

std::uint64_t resident_bytes() {
  QFile file(QStringLiteral("/proc/self/statm"));
  if (!file.open(QIODevice::ReadOnly)) return 0;
  return file.readAll().split(' ').value(1).toULongLong() * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace kvantage
