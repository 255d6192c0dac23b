#include "ui/papers/model/figures_model.h"

#include <utility>

#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr quintptr of_paper = 0;  // figures carry their paper's place and 1

/// Within its paper: "Fig. 8", "Table 1", "limits".
QString short_name(const QString& id) {
  const QString name = id.section('/', -1);
  bool is_number = false;
  if (const int number = name.mid(3).toInt(&is_number); is_number && name.startsWith(QLatin1String("fig")))
    return FiguresModel::tr("Fig. %1").arg(number);
  if (const int number = name.mid(5).toInt(&is_number); is_number && name.startsWith(QLatin1String("table")))
    return FiguresModel::tr("Table %1").arg(number);
  return name;
}

}  // namespace

FiguresModel::FiguresModel(const FigureResults& results, const FigureJob& job, QObject* parent)
    : QAbstractItemModel(parent), results_(results), job_(job), figures_(papers().size()) {
  for (const PaperFigure& figure : paper_figures())
    for (std::size_t p = 0; p < papers().size(); ++p)
      if (papers()[p].id == figure.paper) figures_[p].push_back(&figure);
  connect(&results_, &FigureResults::changed, this, &FiguresModel::tell);
  const auto tell_job = [this] {
    const QString now = job_.running() ? to_q(job_.figure()->name) : QString();
    const QString before = std::exchange(told_, now);
    if (!before.isEmpty()) tell(before);
    if (!now.isEmpty() && now != before) tell(now);
  };
  connect(&job_, &FigureJob::runningChanged, this, tell_job);
  connect(&job_, &FigureJob::progressed, this, tell_job);
}

void FiguresModel::tell(const QString& figure) {
  if (const QModelIndex at = index_of(figure, state); at.isValid()) emit dataChanged(at, at);
}

QModelIndex FiguresModel::index_of(const QString& figure, int column) const {
  for (std::size_t p = 0; p < figures_.size(); ++p)
    for (std::size_t f = 0; f < figures_[p].size(); ++f)
      if (to_q(figures_[p][f]->name) == figure) return createIndex(static_cast<int>(f), column, p + 1);
  return {};
}

QModelIndex FiguresModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : of_paper);
}

QModelIndex FiguresModel::parent(const QModelIndex& index) const {
  if (!index.isValid() || index.internalId() == of_paper) return {};
  return createIndex(static_cast<int>(index.internalId()) - 1, 0, of_paper);
}

int FiguresModel::rowCount(const QModelIndex& parent) const {
  if (!parent.isValid()) return static_cast<int>(papers().size());
  if (parent.internalId() != of_paper || parent.column() > 0) return 0;
  return static_cast<int>(figures_[static_cast<std::size_t>(parent.row())].size());
}

int FiguresModel::columnCount(const QModelIndex&) const { return column_count; }

QString FiguresModel::state_of(const PaperFigure& figure) const {
  if (job_.running() && job_.figure() == &figure) {
    if (job_.cancelling()) return tr("canceling");
    return job_.fraction() < 0 ? tr("running") : percent_text(job_.fraction());
  }
  const KeptFigure* kept = results_.newest(to_q(figure.name));
  if (kept == nullptr) return {};
  const QString begun = kept->started.toLocalTime().toString(QStringLiteral("yyyy-MM-dd HH:mm"));
  // Of an imported one it is not known.
  return kept->seconds > 0 ? QStringLiteral("%1, %2").arg(begun, duration_text(kept->seconds)) : begun;
}

QVariant FiguresModel::data(const QModelIndex& at, int role) const {
  if (!at.isValid()) return {};
  if (at.internalId() == of_paper) {
    const Paper& paper = papers()[static_cast<std::size_t>(at.row())];
    if (role == Qt::DisplayRole && at.column() == name) return core_text(paper.name);
    if (role == Qt::DisplayRole && figures_[static_cast<std::size_t>(at.row())].empty()) return tr("not yet");
    if (role == Qt::ToolTipRole) return core_text(paper.missing.empty() ? paper.name : paper.missing);
    return {};
  }
  const PaperFigure& figure = *figures_[at.internalId() - 1][static_cast<std::size_t>(at.row())];
  switch (role) {
    case Qt::DisplayRole: {
      if (at.column() == state) return state_of(figure);
      return QStringLiteral("%1: %2").arg(short_name(to_q(figure.name)), core_text(figure.title));
    }
    case Qt::ToolTipRole:
      return core_text(figure.does);
    case figure_role:
      return to_q(figure.name);
    default:
      return {};
  }
}

QVariant FiguresModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  return section == name ? tr("Figure") : tr("Last run");
}

Qt::ItemFlags FiguresModel::flags(const QModelIndex& at) const {
  if (!at.isValid()) return Qt::NoItemFlags;
  return Qt::ItemIsEnabled | Qt::ItemIsSelectable;
}

}  // namespace kvantage
