#include "ui/runs/compare/model/settings_diff_model.h"

#include <QFont>

#include "ui/text/words.h"

namespace kvantage {

SettingsDiffModel::SettingsDiffModel(RunComparisonModel& source, ForestModel& forest, QObject* parent)
    : QAbstractTableModel(parent), source_(source), forest_(forest) {
  connect(&forest_, &QAbstractItemModel::modelReset, this, &SettingsDiffModel::rebuild);
  rebuild();
}

void SettingsDiffModel::show_all(bool all) {
  if (all == shows_all_) return;
  shows_all_ = all;
  rebuild();
}

void SettingsDiffModel::rebuild() {
  beginResetModel();
  lines_.clear();
  differing_ = 0;
  if (forest_.other() >= 0) {
    const std::size_t base = source_.comparison().baseline;
    const auto other = static_cast<std::size_t>(forest_.other());
    for (const DifferingSetting& setting : source_.details().settings) {
      const Json &before = setting.values[base], &after = setting.values[other];
      const bool differs = before != after;
      if (differs) ++differing_;
      if (differs || (shows_all_ && !before.is_null()))
        lines_.push_back({to_q(setting.name), compared_setting_text(setting, before),
                          compared_setting_text(setting, after), differs});
    }
  }
  endResetModel();
}

int SettingsDiffModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(lines_.size());
}
int SettingsDiffModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

QVariant SettingsDiffModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount() || index.column() >= column_count) return {};
  const Line& line = lines_[static_cast<std::size_t>(index.row())];
  if (role == Qt::FontRole && shows_all_ && line.differs) {
    QFont bold;
    bold.setWeight(QFont::DemiBold);
    return bold;
  }
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
  return index.column() == setting_column ? line.name : index.column() == baseline_column ? line.baseline : line.other;
}

QVariant SettingsDiffModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  if (section == setting_column) return role == Qt::DisplayRole ? QVariant(tr("Setting")) : QVariant();
  const int side = section == baseline_column ? static_cast<int>(source_.comparison().baseline) : forest_.other();
  if (side < 0 || side >= source_.sides()) return role == Qt::DisplayRole ? QVariant(QStringLiteral("–")) : QVariant();
  if (role == Qt::DisplayRole) return RunComparisonModel::letter(side);
  return role == Qt::ToolTipRole ? QVariant(source_.side_name(side)) : QVariant();
}

}  // namespace kvantage
