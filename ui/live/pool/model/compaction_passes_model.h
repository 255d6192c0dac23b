// The compaction passes of a run as rows, oldest first. Follows SessionPoolModel when asked to, so that passes of
// a busy run become one change.
#pragma once

#include <QAbstractTableModel>
#include <deque>

#include "ui/live/pool/model/session_pool_model.h"

namespace kvantage {

class CompactionPassesModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { time, request, context, tokens, blocks_freed, slot_copies, seconds, column_count };
  enum Role { context_role = Qt::UserRole + 1, request_role };

  /// pool: must outlive it.
  explicit CompactionPassesModel(const SessionPoolModel& pool, QObject* parent = nullptr);
  /// Takes what came since.
  void follow();
  const std::deque<SessionPoolModel::Pass>& passes() const { return rows_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& at, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  void replace();
  const SessionPoolModel& pool_;
  std::deque<SessionPoolModel::Pass> rows_;
  std::uint64_t seen_ = 0;  // passes of the run until the last row
};

}  // namespace kvantage
