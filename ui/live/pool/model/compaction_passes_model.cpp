#include "ui/live/pool/model/compaction_passes_model.h"

#include "core/base/units.h"
#include "ui/text/words.h"

namespace kvantage {

CompactionPassesModel::CompactionPassesModel(const SessionPoolModel& pool, QObject* parent)
    : QAbstractTableModel(parent), pool_(pool) {
  connect(&pool_, &SessionPoolModel::replaced, this, &CompactionPassesModel::replace);
  replace();
}

void CompactionPassesModel::replace() {
  beginResetModel();
  rows_ = pool_.passes();
  seen_ = pool_.content().passes_seen;
  endResetModel();
}

void CompactionPassesModel::follow() {
  const auto& kept = pool_.passes();
  const std::uint64_t now = pool_.content().passes_seen;
  if (now == seen_) return;
  if (now < seen_ || now - seen_ >= kept.size()) return replace();
  const auto added = static_cast<std::ptrdiff_t>(now - seen_);
  beginInsertRows({}, rowCount(), rowCount() + static_cast<int>(added) - 1);
  rows_.insert(rows_.end(), kept.end() - added, kept.end());
  seen_ = now;
  endInsertRows();
  if (rows_.size() <= kept.size()) return;
  const auto dropped = static_cast<std::ptrdiff_t>(rows_.size() - kept.size());
  beginRemoveRows({}, 0, static_cast<int>(dropped) - 1);
  rows_.erase(rows_.begin(), rows_.begin() + dropped);
  endRemoveRows();
}

int CompactionPassesModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}
int CompactionPassesModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int{column_count};
}

QVariant CompactionPassesModel::data(const QModelIndex& at, int role) const {
  if (at.row() < 0 || at.row() >= rowCount()) return {};
  const SessionPoolModel::Pass& row = rows_[static_cast<std::size_t>(at.row())];
  const events::CacheCompacted& pass = row.pass;
  if (role == context_role) return to_q(pass.context_id);
  if (role == request_role) return static_cast<qulonglong>(pass.request);
  if (role == Qt::TextAlignmentRole && at.column() != context)
    return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (at.column()) {
    case time:
      return tr("%1 s").arg(to_q(format_fixed(row.seconds, 1)));
    case request:
      return QString::number(pass.request);
    case context:
      return to_q(pass.context_id);
    case tokens:
      return QString::number(pass.decoded_tokens);
    case blocks_freed:
      return QString::number(pass.blocks_freed);
    case slot_copies:
      return QString::number(pass.slot_copies);
    default:
      return seconds_text(pass.seconds);
  }
}

QVariant CompactionPassesModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  static const char* const titles[] = {QT_TR_NOOP("Time"),    QT_TR_NOOP("Request"), QT_TR_NOOP("Context"),
                                       QT_TR_NOOP("Tokens"),  QT_TR_NOOP("Freed"),   QT_TR_NOOP("Moved"),
                                       QT_TR_NOOP("Duration")};
  static const char* const tips[] = {QT_TR_NOOP("When the pass ended, in s since the start"),
                                     QT_TR_NOOP("Request whose KV cache was compacted"),
                                     QT_TR_NOOP("Context of the request"),
                                     QT_TR_NOOP("Tokens of the answer decoded before the pass"),
                                     QT_TR_NOOP("Blocks that the pass freed"),
                                     QT_TR_NOOP("KV entries that the pass moved"),
                                     QT_TR_NOOP("Time of planning and moving")};
  if (role == Qt::DisplayRole) return tr(titles[section]);
  if (role == Qt::ToolTipRole) return tr(tips[section]);
  return {};
}

}  // namespace kvantage
