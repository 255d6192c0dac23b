#include "ui/runs/model/runs_filter.h"

#include <algorithm>

#include "ui/runs/model/runs_model.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr QLatin1String tag_prefix("tag:");

}  // namespace

RunsFilter::RunsFilter(QObject* parent) : QSortFilterProxyModel(parent) {}

void RunsFilter::set_text(const QString& text) {
  words_ = text.simplified().toLower().split(' ', Qt::SkipEmptyParts);
  invalidate();  // at once: row by row, thousands of scattered ones take seconds
}

void RunsFilter::set_workload(const QString& workload) {
  workload_ = workload;
  invalidate();
}

void RunsFilter::set_policy(const QString& policy) {
  policy_ = policy;
  invalidate();
}

// Newer rows go to one end of a table that is sorted by when they began, in any other order everywhere.
void RunsFilter::set_filling(bool in_flight) {
  filling_ = in_flight;
  const bool follow = !filling_ || sortColumn() == RunsModel::started;
  if (follow != dynamicSortFilter()) setDynamicSortFilter(follow);  // sorts when it follows again
}

void RunsFilter::sort(int column, Qt::SortOrder order) {
  if (filling_ && column != RunsModel::started) setDynamicSortFilter(false);
  QSortFilterProxyModel::sort(column, order);
}

bool RunsFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
  const RunsModel::Row* of = parent.isValid() ? nullptr : static_cast<const RunsModel*>(sourceModel())->row(row);
  if (!of) return false;
  if (!workload_.isEmpty() && of->workload != workload_) return false;
  if (!policy_.isEmpty() && of->cells[RunsModel::policy] != policy_) return false;
  const auto has_tag = [of](const QString& begin) {
    return std::ranges::any_of(of->run.notes.tags,
                               [&](const std::string& tag) { return to_q(tag).toLower().startsWith(begin); });
  };
  return std::ranges::all_of(words_, [&](const QString& word) {
    return word.startsWith(tag_prefix) ? has_tag(word.mid(tag_prefix.size())) : of->words.contains(word);
  });
}

bool RunsFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  const auto& model = *static_cast<const RunsModel*>(sourceModel());
  return RunsModel::less(*model.row(left.row()), *model.row(right.row()), left.column());
}

}  // namespace kvantage
