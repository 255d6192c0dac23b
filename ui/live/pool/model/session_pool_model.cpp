#include "ui/live/pool/model/session_pool_model.h"

#include <QLocale>
#include <algorithm>
#include <utility>

#include "ui/text/words.h"

namespace kvantage {
namespace {

QString count_text(std::uint64_t count) { return QLocale(QLocale::English).toString(static_cast<qulonglong>(count)); }

}  // namespace

DecodingTotals decoding_so_far(const PoolReport& pool) {
  DecodingTotals all = pool.decoding;
  const DecodingTotals& now = pool.in_flight;
  all.answers += now.answers;
  all += now;
  return all;
}

std::optional<double> budget_occupancy(const PoolReport& pool) {
  if (pool.budget_slots == 0) return std::nullopt;
  return static_cast<double>(pool.budgeted_slots) / static_cast<double>(pool.budget_slots);
}

void SessionPoolModel::set_report(const std::optional<PoolReport>& report, double seconds) {
  if (report == content_.report) return;
  content_.report = report;
  if (report) {
    content_.samples.push_back({seconds, *report});
    if (content_.samples.size() > kept_samples) content_.samples.pop_front();
  }
  emit changed();
}

void SessionPoolModel::add_pass(const events::CacheCompacted& pass, double seconds) {
  ++content_.passes_seen;
  content_.passes.push_back({seconds, pass});
  if (content_.passes.size() > kept_passes) content_.passes.pop_front();
  emit changed();
}

void SessionPoolModel::clear_history() {
  content_ = {.report = content_.report, .samples = {}, .passes = {}};
  emit replaced();
  emit changed();
}

void SessionPoolModel::set_content(const Content& content) {
  content_ = content;
  emit replaced();
  emit changed();
}

void SessionPoolModel::swap_content(SessionPoolModel& other) {
  std::swap(content_, other.content_);
  emit replaced();
  emit changed();
}

QString SessionPoolModel::text() const {
  if (!report()) return {};
  const PoolReport& r = *report();
  QStringList parts{tr("%1 of %2 blocks in use (%3 of %4)")
                        .arg(count_text(r.live_blocks), count_text(r.capacity_blocks),
                             bytes_text(static_cast<double>(r.live_blocks * r.block_bytes)),
                             bytes_text(static_cast<double>(r.capacity_blocks * r.block_bytes)))};
  if (r.requests > 0)
    parts << tr("%n request(s) hold %1", nullptr, r.requests).arg(bytes_text(static_cast<double>(r.request_bytes)));
  if (r.shared_blocks > 0) parts << tr("%1 shared").arg(count_text(r.shared_blocks));
  if (r.live_slots > 0)
    parts << tr("%1 live slots, %2 of them shared").arg(count_text(r.live_slots), count_text(r.shared_slots));
  if (r.dead_slots > 0) parts << tr("%1 dead slots").arg(count_text(r.dead_slots));
  if (const auto occupancy = budget_occupancy(r))
    parts << tr("%1 of the decode budgets in use").arg(percent_text(*occupancy));
  const DecodingTotals d = decoding_so_far(r);
  if (d.answers > 0)
    parts << tr("%1 KV entries evicted in %n answer(s)", nullptr, static_cast<int>(d.answers))
                 .arg(count_text(d.evicted_entries));
  if (d.compactions.passes > 0)
    parts << tr("%n compaction pass(es) freed %1 blocks in %2", nullptr, static_cast<int>(d.compactions.passes))
                 .arg(count_text(d.compactions.blocks_freed), seconds_text(d.compactions.seconds));
  if (r.step_seconds > 0) parts << tr("%1 per decoding step").arg(seconds_text(r.step_seconds));
  return parts.join(QStringLiteral(" · "));
}

QString SessionPoolModel::tip() const {
  if (!report()) return {};
  const DecodingTotals d = decoding_so_far(*report());
  return tr("The session's pool of KV blocks, %1 tokens each (measured).\nSlots are KV entries of requests in flight. "
            "Shared: in more than one block table. Dead slots: evicted KV entries whose block is not freed.\nEviction "
            "and compaction count answers of this run. Choosing what to evict took %2 and a score buffer of %3; "
            "eviction freed %4 blocks, compaction moved %5 KV entries.")
      .arg(report()->block_tokens)
      .arg(seconds_text(d.deciding_seconds), bytes_text(static_cast<double>(d.score_buffer_bytes)),
           count_text(d.blocks_freed), count_text(d.compactions.slot_copies));
}

std::vector<QStringList> SessionPoolModel::rows() const {
  std::vector<QStringList> rows{{"seconds", "live_blocks", "capacity_blocks", "shared_blocks", "requests",
                                 "request_bytes", "live_slots", "shared_slots", "dead_slots", "budget_occupancy",
                                 "evicted_entries", "blocks_freed_by_eviction", "compaction_passes", "blocks_freed",
                                 "slot_copies", "compaction_seconds", "deciding_seconds", "score_buffer_bytes",
                                 "step_seconds"}};
  const auto real = [](double value) { return QString::number(value, 'g', 9); };
  const auto whole = [](std::uint64_t value) { return QString::number(value); };
  for (const auto& [seconds, r] : content_.samples) {
    const DecodingTotals d = decoding_so_far(r);
    const auto occupancy = budget_occupancy(r);
    rows.push_back({real(seconds), whole(r.live_blocks), whole(r.capacity_blocks), whole(r.shared_blocks),
                    QString::number(r.requests), whole(r.request_bytes), whole(r.live_slots), whole(r.shared_slots),
                    whole(r.dead_slots), occupancy ? real(*occupancy) : QString(), whole(d.evicted_entries),
                    whole(d.blocks_freed), whole(d.compactions.passes), whole(d.compactions.blocks_freed),
                    whole(d.compactions.slot_copies), real(d.compactions.seconds), real(d.deciding_seconds),
                    whole(d.score_buffer_bytes), real(r.step_seconds)});
  }
  return rows;
}

}  // namespace kvantage
