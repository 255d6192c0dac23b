// The held runs as a table.
#include <QStringList>
#include <utility>

#include "ui/runs/model/held_runs_model.h"
#include "ui/text/words.h"

namespace kvantage {

int HeldRunsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(held_.size());
}

int HeldRunsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int{column_count}; }

QString HeldRunsModel::tip(std::size_t row) const {
  const HeldRun& run = held_[row];
  const Details& details = details_[row];
  QStringList lines{run.id.isEmpty() ? tr("not recorded") : run.id};
  if (run.ghost) lines << tr("an earlier run of this window");
  if (!details.segments) lines << tr("is being read");
  if (!details.differs.isEmpty()) lines << tr("differs from the present run in: %1").arg(details.differs);
  QStringList tags;
  for (const std::string& tag : details.notes.tags) tags << to_q(tag);
  if (!tags.isEmpty()) lines << tr("tags: %1").arg(tags.join(QStringLiteral(", ")));
  if (!details.notes.text.empty()) lines << to_q(details.notes.text);
  return lines.join('\n');
}

QVariant HeldRunsModel::data(const QModelIndex& at, int role) const {
  if (!at.isValid() || at.row() >= rowCount()) return {};
  const auto row = static_cast<std::size_t>(at.row());
  const HeldRun& run = held_[row];
  switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole:
      if (at.column() == name) return run.name;
      return at.column() == differs ? QVariant(details_[row].differs) : QVariant();
    case Qt::CheckStateRole:
      return at.column() == HeldRunsModel::shown ? QVariant(run.shown ? Qt::Checked : Qt::Unchecked) : QVariant();
    case Qt::AccessibleTextRole:
      if (at.column() == HeldRunsModel::shown) return run.shown ? tr("shown") : tr("hidden");
      return at.column() == HeldRunsModel::color ? QVariant(tr("color %1").arg(run.color + 1)) : QVariant();
    case Qt::ToolTipRole:
      return tip(row);
    case run_id_role:
      return run.id;
    case color_role:
      return run.color;
    case ghost_role:
      return run.ghost;
    default:
      return {};
  }
}

QVariant HeldRunsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  static const char* const titles[] = {QT_TR_NOOP("Shown"), QT_TR_NOOP("Color"), QT_TR_NOOP("Name"),
                                       QT_TR_NOOP("Differs in")};
  static const char* const tips[] = {
      QT_TR_NOOP("Whether the Frontier shows the run (Space)"),
      QT_TR_NOOP("Color of the run on the Frontier; it stays as long as the run is pinned"),
      QT_TR_NOOP("Made from the settings that differ. Press F2 to give another name; clear it to get this one again."),
      QT_TR_NOOP("Settings at the start of the run that differ from the present ones")};
  if (role == Qt::ToolTipRole) return tr(tips[section]);
  return role == Qt::DisplayRole ? QVariant(tr(titles[section])) : QVariant();
}

Qt::ItemFlags HeldRunsModel::flags(const QModelIndex& at) const {
  const Qt::ItemFlags flags = QAbstractTableModel::flags(at);
  if (!at.isValid()) return flags;
  if (at.column() == HeldRunsModel::shown) return flags | Qt::ItemIsUserCheckable;
  return at.column() == HeldRunsModel::name ? flags | Qt::ItemIsEditable : flags;
}

bool HeldRunsModel::setData(const QModelIndex& at, const QVariant& value, int role) {
  if (!at.isValid() || at.row() >= rowCount()) return false;
  const auto row = static_cast<std::size_t>(at.row());
  HeldRun& run = held_[row];
  if (at.column() == HeldRunsModel::shown && role == Qt::CheckStateRole) {
    const bool wanted = value.toInt() == Qt::Checked;
    if (wanted == std::exchange(run.shown, wanted)) return true;
  } else if (at.column() == HeldRunsModel::name && role == Qt::EditRole) {
    const QString wanted = value.toString().simplified();
    // An editor that is closed as it was opened must not freeze a name that was made.
    if (wanted == details_[row].own_name || (details_[row].own_name.isEmpty() && wanted == run.name)) return true;
    details_[row].own_name = wanted;
    run.name = wanted.isEmpty() ? run.id : wanted;
    rename();
  } else {
    return false;
  }
  row_changed(at.row(), true);
  return true;
}

}  // namespace kvantage
