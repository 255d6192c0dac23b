#include "ui/models/session_pool_model.h"

#include <QLocale>

#include "ui/models/words.h"

namespace kvantage {
namespace {

QString count_text(std::uint64_t count) { return QLocale(QLocale::English).toString(static_cast<qulonglong>(count)); }

}  // namespace

void SessionPoolModel::set_report(const std::optional<PoolReport>& report) {
  if (report == report_) return;
  report_ = report;
  if (report_) {
    samples_.push_back(*report_);
    if (samples_.size() > kept_samples) samples_.pop_front();
  }
  emit changed();
}

QString SessionPoolModel::text() const {
  if (!report_) return {};
  const PoolReport& r = *report_;
  QStringList parts{tr("%1 of %2 blocks in use (%3 of %4)")
                        .arg(count_text(r.live_blocks), count_text(r.capacity_blocks),
                             bytes_text(static_cast<double>(r.live_blocks * r.block_bytes)),
                             bytes_text(static_cast<double>(r.capacity_blocks * r.block_bytes)))};
  if (r.requests > 0)
    parts << tr("%n request(s) hold %1", nullptr, r.requests).arg(bytes_text(static_cast<double>(r.request_bytes)));
  if (r.shared_blocks > 0) parts << tr("%1 shared").arg(count_text(r.shared_blocks));
  if (r.dead_slots > 0) parts << tr("%1 dead slots").arg(count_text(r.dead_slots));
  const DecodingTotals& d = r.decoding;
  if (d.answers > 0)
    parts << tr("%1 KV entries evicted in %n answer(s)", nullptr, static_cast<int>(d.answers))
                 .arg(count_text(d.evicted_entries));
  if (d.compactions.passes > 0)
    parts << tr("%n compaction pass(es) freed %1 blocks in %2", nullptr, static_cast<int>(d.compactions.passes))
                 .arg(count_text(d.compactions.blocks_freed), seconds_text(d.compactions.seconds));
  return parts.join(QStringLiteral(" · "));
}

QString SessionPoolModel::tip() const {
  if (!report_) return {};
  return tr("The session's pool of KV blocks, %1 tokens each (measured).\nShared: in more than one block table. Dead "
            "slots: evicted KV entries whose block is not freed.\nEviction and compaction count answers of this run. "
            "Choosing what to evict took %2.")
      .arg(report_->block_tokens)
      .arg(seconds_text(report_->decoding.deciding_seconds));
}

std::vector<QStringList> SessionPoolModel::rows() const {
  std::vector<QStringList> rows{{"live_blocks", "capacity_blocks", "shared_blocks", "requests", "request_bytes",
                                 "dead_slots", "evicted_entries", "compaction_passes", "blocks_freed", "slot_copies",
                                 "compaction_seconds"}};
  for (const PoolReport& r : samples_)
    rows.push_back(
        {QString::number(r.live_blocks), QString::number(r.capacity_blocks), QString::number(r.shared_blocks),
         QString::number(r.requests), QString::number(r.request_bytes), QString::number(r.dead_slots),
         QString::number(r.decoding.evicted_entries), QString::number(r.decoding.compactions.passes),
         QString::number(r.decoding.compactions.blocks_freed), QString::number(r.decoding.compactions.slot_copies),
         QString::number(r.decoding.compactions.seconds, 'g', 9)});
  return rows;
}

}  // namespace kvantage
