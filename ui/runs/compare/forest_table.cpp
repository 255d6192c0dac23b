#include "ui/runs/compare/forest_table.h"

#include <QEvent>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QTimer>
#include <algorithm>
#include <optional>

#include "ui/runs/compare/forest_paint.h"
#include "ui/text/words.h"
#include "ui/widgets/row_table.h"

namespace kvantage {
namespace {

// In average letters: the plot where the page is narrow, and where it has room.
constexpr int least_plot_letters = 20, preferred_plot_letters = 26;
constexpr int forest_cell_padding = 18, forest_row_padding = 7, forest_mark_height = 11;

/// Titles as in any table, with the ticks below that of the plot.
class ForestHeader : public QHeaderView {
 public:
  ForestHeader(const ForestModel& model, const Theme& theme, QWidget* parent)
      : QHeaderView(Qt::Horizontal, parent), model_(model), theme_(theme) {}

 protected:
  void paintSection(QPainter* painter, const QRect& rect, int section) const override {
    painter->save();
    QHeaderView::paintSection(painter, rect, section);
    painter->restore();
    if (section == ForestModel::plot_column) draw_forest_ticks(*painter, QRectF(rect), model_, theme_);
  }
  QSize sectionSizeFromContents(int section) const override {
    QSize size = QHeaderView::sectionSizeFromContents(section);
    if (section == ForestModel::plot_column) size.rheight() += fontMetrics().height();
    return size;
  }

 private:
  const ForestModel& model_;
  const Theme& theme_;
};

class ForestDelegate : public QStyledItemDelegate {
 public:
  ForestDelegate(const ForestModel& model, const Theme& theme, QObject* parent)
      : QStyledItemDelegate(parent), model_(model), theme_(theme) {}
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyledItemDelegate::paint(painter, option, index);
    if (index.column() == ForestModel::plot_column)
      draw_forest_row(*painter, QRectF(option.rect), model_, index.row(), theme_);
  }

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    const ComparedMetric* metric = model_.metric(index.row());
    if (metric == nullptr) {  // a heading: no row to choose, and no disabled one either
      option->state |= QStyle::State_Enabled;
      option->font.setWeight(QFont::DemiBold);
      option->palette.setColor(QPalette::Text, theme_.muted);
      return;
    }
    if (index.column() != ForestModel::words_column || model_.other() < 0) return;
    if (const auto& value = metric->values[static_cast<std::size_t>(model_.other())];
        value && is_significant(value->judgment))
      option->palette.setColor(QPalette::Text, forest_look(value->judgment, theme_).color);
  }

 private:
  const ForestModel& model_;
  const Theme& theme_;
};

QString forest_number(double value) { return QString::number(value, 'g', 9); }

QStringList forest_ends(const std::optional<Interval>& interval, double factor = 1) {
  if (!interval) return {QString(), QString()};
  return {forest_number(interval->low * factor), forest_number(interval->high * factor)};
}

/// Value and interval of a run; empty cells where it has none.
QStringList forest_value(const std::optional<ComparedValue>& value) {
  if (!value) return {QString(), QString(), QString()};
  return QStringList{forest_number(value->value)} + forest_ends(value->interval);
}

}  // namespace

ForestTable::ForestTable(ForestModel& model, QWidget* parent)
    : QTableView(parent), model_(model), theme_(theme_of(ThemeKind::light)) {
  setHorizontalHeader(new ForestHeader(model_, theme_, this));
  setModel(&model_);
  setItemDelegate(new ForestDelegate(model_, theme_, this));
  setAccessibleName(tr("Differences between runs"));
  setToolTip(
      tr("One row per metric: both values, the difference from the baseline with its 95 % interval, and what it says. "
         "Arrow keys move through the metrics; Enter shows one by context."));
  show_as_rows(*this);
  setAlternatingRowColors(false);
  horizontalHeader()->setStretchLastSection(false);
  setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  install_chart_menu(*this, {this, tr("Differences between runs"), [this] { return as_table(); }});

  connect(&model_, &QAbstractItemModel::modelReset, this, &ForestTable::show_rows);
  connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
    const QString metric = current_metric();
    if (metric.isEmpty() || metric == chosen_) return;
    chosen_ = metric;
    emit metricChosen(chosen_);
  });
  connect(this, &QAbstractItemView::activated, this, [this](const QModelIndex& at) {
    if (const ComparedMetric* metric = model_.metric(at.row())) emit metricOpened(to_q(metric->name));
  });
}

QString ForestTable::current_metric() const {
  const ComparedMetric* metric = model_.metric(currentIndex().row());
  return metric == nullptr ? QString() : to_q(metric->name);
}

void ForestTable::show_rows() {
  fit();
  int row = model_.row_of(from_q(chosen_));
  for (int at = 0; row < 0 && at < model_.rowCount(); ++at)
    if (model_.metric(at) != nullptr) row = at;
  if (row >= 0) setCurrentIndex(model_.index(row, ForestModel::metric_column));
}

int ForestTable::text_unit() const { return std::max(1, fontMetrics().averageCharWidth()); }

int ForestTable::width_of_others() const {
  int wide = 0;
  for (int column = 0; column < ForestModel::column_count; ++column)
    if (column != ForestModel::plot_column) wide += columnWidth(column);
  return wide;
}

int ForestTable::preferred_width() const {
  return width_of_others() + preferred_plot_letters * text_unit() + verticalScrollBar()->sizeHint().width() +
         2 * frameWidth();
}

void ForestTable::fit_plot() {
  setColumnWidth(ForestModel::plot_column,
                 std::max(least_plot_letters * text_unit(), viewport()->width() - width_of_others()));
}

void ForestTable::fit() {
  ensurePolished();
  horizontalHeader()->ensurePolished();
  QFont bold = font();
  bold.setWeight(QFont::DemiBold);
  const QFontMetrics plain_text = fontMetrics(), bold_text(bold);
  for (int column = 0; column < ForestModel::column_count; ++column) {
    if (column == ForestModel::plot_column) continue;
    int wide = horizontalHeader()->sectionSizeHint(column) + 8;
    for (int row = 0; row < model_.rowCount(); ++row) {
      const QFontMetrics& text = model_.metric(row) == nullptr ? bold_text : plain_text;
      wide = std::max(wide, text.horizontalAdvance(model_.index(row, column).data().toString()) + forest_cell_padding);
    }
    setColumnWidth(column, wide);
  }
  const int marks = model_.plots_all() ? static_cast<int>(model_.comparison().runs.size()) - 1 : 1;
  verticalHeader()->setDefaultSectionSize(
      std::max(plain_text.height() + forest_row_padding, (marks + 1) * forest_mark_height));
  fit_plot();
  emit fitted();
}

void ForestTable::resizeEvent(QResizeEvent* event) {
  QTableView::resizeEvent(event);
  fit_plot();
}

void ForestTable::changeEvent(QEvent* event) {
  QTableView::changeEvent(event);
  if (event->type() != QEvent::FontChange || due_) return;
  due_ = true;
  QTimer::singleShot(0, this, [this] {  // when the header has the font as well
    due_ = false;
    fit();
  });
}

ChartTable ForestTable::as_table() const {
  ChartTable table{{"metric", "unit", "baseline", "baseline_low_95", "baseline_high_95", "run", "value", "value_low_95",
                    "value_high_95", "difference", "difference_low_95", "difference_high_95", "difference_percent",
                    "difference_percent_low_95", "difference_percent_high_95", "pairs", "judgment"},
                   {}};
  const RunComparison& comparison = model_.comparison();
  for (int row = 0; row < model_.rowCount(); ++row) {
    const ComparedMetric* metric = model_.metric(row);
    if (metric == nullptr) continue;
    for (std::size_t side = 0; side < metric->values.size(); ++side) {
      const bool shown = model_.plots_all() ? side != comparison.baseline : static_cast<int>(side) == model_.other();
      const auto& value = metric->values[side];
      if (!shown || !value) continue;
      const auto mark = forest_mark(comparison, *metric, side);
      table.rows.append(
          QStringList{to_q(metric->name), to_q(metric->unit)} + forest_value(metric->values[comparison.baseline]) +
          QStringList{RunComparisonModel::letter(static_cast<int>(side))} + forest_value(value) +
          QStringList{value->delta ? forest_number(*value->delta) : QString()} + forest_ends(value->delta_interval) +
          QStringList{mark ? forest_number(100 * mark->difference) : QString()} +
          forest_ends(mark ? mark->interval : std::nullopt, 100) +
          QStringList{value->pairs > 0 ? QString::number(value->pairs) : QString(),
                      to_q(judgment_text(comparison, *metric, side))});
    }
  }
  return table;
}

void ForestTable::set_theme(const Theme& theme) {
  theme_ = theme;
  viewport()->update();
  horizontalHeader()->viewport()->update();
}

}  // namespace kvantage
