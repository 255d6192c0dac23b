#include "ui/runs/compare/model/forest_model.h"

#include <QStringList>
#include <algorithm>
#include <cmath>

#include "core/base/units.h"
#include "core/report/plot_axes.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

/// Of the axis: one difference of several hundred percent must not hide all others.
constexpr double forest_least_limit = 0.02, forest_most_limit = 1;
constexpr int forest_ticks = 6;

QString side_values_text(const ComparedMetric& metric, const ComparedValue& value) {
  QString text = to_q(value_text(metric, value));
  if (value.interval) text += ' ' + to_q(interval_text(metric, value));
  if (value.n > 0) text += QStringLiteral(", n = %1").arg(value.n);
  return text + QStringLiteral(" (%1)").arg(provenance_text(value.provenance));
}

QString signed_percent(double share) {
  const double percent = 100 * share;
  return (percent > 0 ? QStringLiteral("+") : QString()) + to_q(format_fixed(percent, std::abs(percent) < 10 ? 1 : 0));
}

}  // namespace

ForestModel::ForestModel(RunComparisonModel& source, QObject* parent) : QAbstractTableModel(parent), source_(source) {
  connect(&source_, &QAbstractItemModel::modelReset, this, &ForestModel::rebuild);
  make_lines();
}

void ForestModel::rebuild() {
  beginResetModel();
  make_lines();
  endResetModel();
}

void ForestModel::set_other(int side) {
  if (side == other_ || side < 0 || side >= source_.sides() || static_cast<std::size_t>(side) == comparison().baseline)
    return;
  other_ = side;
  rebuild();
}

bool ForestModel::can_plot_all() const { return source_.sides() > 2 && source_.sides() <= max_plotted; }

void ForestModel::plot_all(bool all) {
  if (all == plots_all_) return;
  plots_all_ = all;
  rebuild();
}

void ForestModel::make_lines() {
  const auto base = static_cast<int>(comparison().baseline);
  if (other_ < 0 || other_ >= source_.sides() || other_ == base) other_ = source_.sides() < 2 ? -1 : base == 0 ? 1 : 0;
  lines_.clear();
  if (other_ >= 0) {
    const auto& metrics = comparison().metrics;
    for (const MetricGroup group : metric_groups) {
      bool headed = false;
      for (std::size_t i = 0; i < metrics.size(); ++i) {
        if (metric_group(metrics[i]) != group) continue;
        const bool known =
            metrics[i].values[comparison().baseline] || metrics[i].values[static_cast<std::size_t>(other_)];
        if (!known) continue;
        if (!headed) lines_.push_back({group, -1});
        headed = true;
        lines_.push_back({group, static_cast<int>(i)});
      }
    }
  }
  make_ticks();
}

void ForestModel::make_ticks() {
  double reach = forest_least_limit;
  const auto extend = [&reach](double value) {
    if (std::isfinite(value)) reach = std::max(reach, std::abs(value));
  };
  for (int row = 0; row < static_cast<int>(lines_.size()); ++row)
    for (const ForestMark& mark : marks(row)) {
      extend(mark.difference);
      if (!mark.interval) continue;
      extend(mark.interval->low);
      extend(mark.interval->high);
    }
  reach = std::min(reach, forest_most_limit);
  ticks_ = axis_ticks(-reach, reach, forest_ticks);
}

const ComparedMetric* ForestModel::metric(int row) const {
  if (row < 0 || row >= static_cast<int>(lines_.size())) return nullptr;
  const int at = lines_[static_cast<std::size_t>(row)].metric;
  return at < 0 ? nullptr : &comparison().metrics[static_cast<std::size_t>(at)];
}

int ForestModel::row_of(const std::string& metric_name) const {
  for (int row = 0; row < static_cast<int>(lines_.size()); ++row)
    if (const ComparedMetric* shown = metric(row); shown != nullptr && shown->name == metric_name) return row;
  return -1;
}

std::vector<ForestMark> ForestModel::marks(int row) const {
  std::vector<ForestMark> marks;
  const ComparedMetric* shown = metric(row);
  if (shown == nullptr) return marks;
  for (int side = 0; side < source_.sides(); ++side)
    if (side == other_ || plots_all())
      if (const auto mark = forest_mark(comparison(), *shown, static_cast<std::size_t>(side))) marks.push_back(*mark);
  return marks;
}

int ForestModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(lines_.size());
}
int ForestModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

Qt::ItemFlags ForestModel::flags(const QModelIndex& index) const {
  return metric(index.row()) == nullptr ? Qt::ItemFlags(Qt::NoItemFlags) : QAbstractTableModel::flags(index);
}

QString ForestModel::text(int row, int column) const {
  const ComparedMetric* shown = metric(row);
  if (shown == nullptr)
    return column == metric_column ? metric_group_text(lines_[static_cast<std::size_t>(row)].group) : QString();
  const auto value = [&](std::size_t side) {
    return shown->values[side] ? to_q(value_text(*shown, *shown->values[side])) : QStringLiteral("–");
  };
  switch (column) {
    case metric_column:
      return core_text(shown->name);
    case baseline_column:
      return value(comparison().baseline);
    case other_column:
      return value(static_cast<std::size_t>(other_));
    case words_column:
      return difference_text(comparison(), *shown, static_cast<std::size_t>(other_));
    default:
      return {};  // the plot is painted
  }
}

QString ForestModel::mark_text(int row) const {
  QStringList lines;
  for (const ForestMark& mark : marks(row)) {
    const QString letter = RunComparisonModel::letter(static_cast<int>(mark.side));
    lines << (mark.interval ? tr("%1: %2 % of %3 (95 %: %4 to %5 %)")
                                  .arg(letter, signed_percent(mark.difference),
                                       RunComparisonModel::letter(static_cast<int>(comparison().baseline)),
                                       signed_percent(mark.interval->low), signed_percent(mark.interval->high))
                            : tr("%1: %2 % of %3")
                                  .arg(letter, signed_percent(mark.difference),
                                       RunComparisonModel::letter(static_cast<int>(comparison().baseline))));
  }
  return lines.isEmpty() ? tr("no relative difference") : lines.join('\n');
}

QString ForestModel::tip(const ComparedMetric& shown) const {
  QStringList lines{core_text(shown.name)};
  for (const std::size_t side : {comparison().baseline, static_cast<std::size_t>(other_)})
    if (const auto& value = shown.values[side])
      lines << QStringLiteral("%1: %2").arg(RunComparisonModel::letter(static_cast<int>(side)),
                                            side_values_text(shown, *value));
  if (const QString judged = core_text(judgment_text(comparison(), shown, static_cast<std::size_t>(other_)));
      !judged.isEmpty())
    lines << judged;
  lines << tr("Enter shows the metric by context");
  return lines.join('\n');
}

QVariant ForestModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount() || index.column() >= column_count) return {};
  const ComparedMetric* shown = metric(index.row());
  switch (role) {
    case Qt::DisplayRole:
      return text(index.row(), index.column());
    case Qt::AccessibleTextRole:
      return index.column() == plot_column && shown != nullptr ? mark_text(index.row())
                                                               : text(index.row(), index.column());
    case Qt::ToolTipRole:
      if (shown == nullptr) return {};
      return index.column() == plot_column ? tip(*shown) + '\n' + mark_text(index.row()) : tip(*shown);
    case Qt::TextAlignmentRole: {
      const bool number = index.column() == baseline_column || index.column() == other_column;
      return static_cast<int>(Qt::AlignVCenter | (number ? Qt::AlignRight : Qt::AlignLeft));
    }
    default:
      return {};
  }
}

QVariant ForestModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  const auto base = static_cast<int>(comparison().baseline);
  const QString base_letter = RunComparisonModel::letter(base),
                other_letter = other_ < 0 ? QStringLiteral("–") : RunComparisonModel::letter(other_);
  if (role == Qt::TextAlignmentRole) {
    if (section == plot_column) return static_cast<int>(Qt::AlignLeft | Qt::AlignTop);  // its ticks are below
    const bool number = section == baseline_column || section == other_column;
    return static_cast<int>(Qt::AlignVCenter | (number ? Qt::AlignRight : Qt::AlignLeft));
  }
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
  const bool titled = role == Qt::DisplayRole;
  switch (section) {
    case metric_column:
      return titled ? tr("Metric") : tr("Metrics of the runs, in groups");
    case baseline_column:
      return titled ? base_letter : source_.sides() == 0 ? QString() : tr("Baseline: %1").arg(source_.side_name(base));
    case other_column:
      return titled ? other_letter : other_ < 0 ? QString() : source_.side_name(other_);
    case plot_column:
      return titled ? tr("Difference from %1").arg(base_letter)
                    : tr("Difference and its 95 % interval, both divided by the value of %1. The interval is that of "
                         "paired questions.")
                          .arg(base_letter);
    default:
      return titled ? tr("In words")
                    : tr("What the difference says: times, rates and memory in percent, qualities and shares in their "
                         "own unit");
  }
}

}  // namespace kvantage
