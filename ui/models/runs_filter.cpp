#include "ui/models/runs_filter.h"

#include "ui/models/runs_model.h"

namespace kvantage {

RunsFilter::RunsFilter(QObject* parent) : QSortFilterProxyModel(parent) {
  setSortRole(RunsModel::sort_role);
  setSortCaseSensitivity(Qt::CaseInsensitive);
}

void RunsFilter::set_text(const QString& text) {
  words_ = text.simplified().split(' ', Qt::SkipEmptyParts);
  invalidateFilter();
}

void RunsFilter::set_workload(const QString& workload) {
  workload_ = workload;
  invalidateFilter();
}

void RunsFilter::set_policy(const QString& policy) {
  policy_ = policy;
  invalidateFilter();
}

bool RunsFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
  const auto text = [&](int column) { return sourceModel()->index(row, column, parent).data().toString(); };
  if (!workload_.isEmpty() && text(RunsModel::workload) != workload_) return false;
  if (!policy_.isEmpty() && text(RunsModel::policy) != policy_) return false;
  if (words_.isEmpty()) return true;
  QString all = sourceModel()->index(row, 0, parent).data(RunsModel::run_id_role).toString();
  for (int column = 0; column < RunsModel::column_count; ++column) all += '\n' + text(column);
  for (const QString& word : words_)
    if (!all.contains(word, Qt::CaseInsensitive)) return false;
  return true;
}

}  // namespace kvantage
