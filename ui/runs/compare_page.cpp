#include "ui/runs/compare_page.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

#include "core/report/table.h"
#include "ui/charts/model_table.h"
#include "ui/files/private_file.h"
#include "ui/text/words.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/row_table.h"
#include "ui/widgets/save_question.h"

namespace kvantage {
namespace {

/// Headings in bold, verdicts in the color of what they say.
class ComparisonDelegate : public QStyledItemDelegate {
 public:
  ComparisonDelegate(const Theme& theme, QObject* parent) : QStyledItemDelegate(parent), theme_(theme) {}

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    if (index.data(RunComparisonModel::kind_role).toInt() == static_cast<int>(RunComparisonModel::Kind::heading)) {
      option->font.setWeight(QFont::DemiBold);
      option->palette.setColor(QPalette::Text, theme_.muted);
      return;
    }
    const auto judgment = static_cast<Judgment>(index.data(RunComparisonModel::judgment_role).toInt());
    if (judgment == Judgment::better) option->palette.setColor(QPalette::Text, theme_.good);
    if (judgment == Judgment::worse) option->palette.setColor(QPalette::Text, theme_.error);
  }

 private:
  const Theme& theme_;
};

QPushButton* button(const QString& text, const QString& tip) {
  auto* made = new QPushButton(text);
  made->setToolTip(tip);
  made->setAccessibleName(tip);
  made->setAutoDefault(false);
  return made;
}

}  // namespace

ComparePage::ComparePage(RunComparisonModel& model, bool parquet, QWidget* parent)
    : QWidget(parent),
      model_(model),
      title_(plain_label()),
      marks_(plain_label()),
      baseline_(new QComboBox),
      periods_(new QCheckBox(tr("Split by setting changes"))),
      table_(new QTableView),
      chart_(new CompareChart(model)),
      theme_(theme_of(ThemeKind::light)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  column->addLayout(make_head_row(parquet));
  column->addWidget(make_table_and_chart(), 1);

  connect(chart_, &CompareChart::runPicked, this, &ComparePage::runRequested);
  connect(periods_, &QCheckBox::clicked, &model_, &RunComparisonModel::set_periods);
  connect(baseline_, &QComboBox::activated, &model_, &RunComparisonModel::set_baseline);
  connect(&model_, &QAbstractItemModel::modelReset, this, &ComparePage::show_comparison);
  connect(&model_, &RunComparisonModel::busyChanged, this, [this](bool busy) {
    baseline_->setEnabled(!busy);
    if (busy)
      title_->setText(tr("Comparing…"));
    else
      show_comparison();
  });
}

QLayout* ComparePage::make_head_row(bool parquet) {
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 0, 8, 0);
  auto* back = button(tr("← Runs"), tr("Back to the list of runs"));
  auto* copy = button(tr("Copy"), tr("Copy the comparison as tab-separated text"));
  auto* csv = button(tr("CSV…"), tr("Save the comparison as CSV in full precision"));
  auto* latex = button(tr("LaTeX…"), tr("Save the comparison as LaTeX tables"));
  auto* report = button(
      tr("Report…"),
      parquet
          ? tr("Write a report on these runs and their differences from the baseline: HTML, PDF, CSV, JSON, LaTeX and "
               "Parquet")
          : tr("Write a report on these runs and their differences from the baseline: HTML, PDF, CSV, JSON and LaTeX"));
  auto* against = new QLabel(tr("Baseline"));
  against->setProperty("muted", true);
  against->setBuddy(baseline_);
  baseline_->setAccessibleName(tr("Baseline"));
  baseline_->setToolTip(tr("Run that the others are compared with"));
  baseline_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  title_->setProperty("heading", true);
  row->addWidget(back);
  row->addWidget(title_);
  marks_->setProperty("muted", true);
  row->addSpacing(12);
  row->addWidget(marks_);
  row->addStretch(1);
  periods_->setAccessibleName(tr("Split by setting changes"));
  periods_->setToolTip(tr("One column for each period of a run with constant settings"));
  row->addWidget(periods_);
  row->addWidget(against);
  row->addWidget(baseline_);
  for (QPushButton* made : {copy, csv, latex, report}) row->addWidget(made);

  connect(back, &QPushButton::clicked, this, &ComparePage::backRequested);
  connect(copy, &QPushButton::clicked, this, [this] {
    QApplication::clipboard()->setText(model_.to_text());
    emit said(QStringLiteral("info"), tr("Comparison copied to the clipboard"));
  });
  connect(csv, &QPushButton::clicked, this, [this] { ask_and_save(QStringLiteral("csv")); });
  connect(latex, &QPushButton::clicked, this, [this] { ask_and_save(QStringLiteral("tex")); });
  connect(report, &QPushButton::clicked, this, &ComparePage::reportRequested);
  for (QPushButton* made : {copy, csv, latex, report})
    connect(&model_, &RunComparisonModel::busyChanged, made, [made](bool busy) { made->setEnabled(!busy); });
  return row;
}

QWidget* ComparePage::make_table_and_chart() {
  delegate_ = new ComparisonDelegate(theme_, this);
  table_->setModel(&model_);
  table_->setItemDelegate(delegate_);
  table_->setAccessibleName(tr("Compared runs"));
  table_->setToolTip(
      tr("Settings that differ and metrics of each run, with 95 % intervals and n. Differences are relative to the "
         "baseline."));
  show_as_rows(*table_);
  table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  table_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  table_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  install_chart_menu(*table_, {table_, tr("Compared runs"), [this] { return table_of(model_); }});
  chart_->setMinimumWidth(230);
  auto* splitter = new QSplitter(Qt::Horizontal);
  splitter->setHandleWidth(1);
  splitter->setChildrenCollapsible(false);
  splitter->addWidget(table_);
  splitter->addWidget(chart_);
  splitter->setStretchFactor(0, 7);
  splitter->setStretchFactor(1, 3);
  splitter->setSizes({700, 300});
  return splitter;
}

void ComparePage::show_comparison() {
  const QSignalBlocker quiet(baseline_);
  baseline_->clear();
  for (int side = 0; side < model_.sides(); ++side) baseline_->addItem(model_.side_name(side));
  baseline_->setCurrentIndex(static_cast<int>(model_.comparison().baseline));
  const bool moved = model_.sides() > 0 && (model_.showing_periods() || model_.periods() > model_.sides());
  periods_->setVisible(moved);
  periods_->setEnabled(!model_.busy() && (model_.showing_periods() || model_.periods_fit()));
  periods_->setChecked(model_.showing_periods());
  periods_->setToolTip(model_.periods() <= RunComparisonModel::max_runs
                           ? tr("Settings changed during these runs. Shows one column for each period with constant "
                                "settings: %n column(s).",
                                nullptr, model_.periods())
                           : tr("Setting changes split these runs into %1 periods; at most %2 can be compared. "
                                "Select fewer runs to split them.")
                                 .arg(model_.periods())
                                 .arg(RunComparisonModel::max_runs));
  title_->setText(model_.sides() == 0 ? QString() : tr("%n run(s)", nullptr, model_.sides()));
  explain_marks();
  for (int r = 0; r < model_.rowCount(); ++r)
    if (model_.index(r, 0).data(RunComparisonModel::kind_role).toInt() ==
        static_cast<int>(RunComparisonModel::Kind::heading))
      table_->setSpan(r, 0, 1, std::max(2, model_.columnCount()));
  table_->ensurePolished();
  table_->resizeColumnsToContents();
  for (int c = 0; c < model_.columnCount(); ++c) table_->setColumnWidth(c, std::min(table_->columnWidth(c) + 12, 470));
  // A verdict stands on a line of its own.
  const int line = table_->fontMetrics().height();
  for (int r = 0; r < model_.rowCount(); ++r) {
    qsizetype lines = 1;
    for (int c = 1; c < model_.columnCount(); ++c)
      lines = std::max(lines, model_.index(r, c).data().toString().count('\n') + 1);
    table_->setRowHeight(r, line * static_cast<int>(lines) + 8);
  }
}

/// "^ throttled", of those that stand in the table.
void ComparePage::explain_marks() {
  QStringList words, tips;
  for (const Provenance kind : {Provenance::throttled, Provenance::simulated, Provenance::predicted}) {
    const auto is_used = [&](const ComparedMetric& metric) {
      return std::ranges::any_of(metric.values, [&](const auto& value) { return value && value->provenance == kind; });
    };
    if (std::ranges::none_of(model_.comparison().metrics, is_used)) continue;
    words << QString::fromLatin1(mark_of(kind)) + QLatin1Char(' ') + provenance_text(kind);
    tips << words.back() + QStringLiteral(": ") + provenance_tip(kind);
  }
  marks_->setText(words.join(QStringLiteral("   ")));
  marks_->setToolTip(tips.join(QLatin1Char('\n')));
}

void ComparePage::ask_and_save(const QString& ending) {
  const bool latex = ending == "tex";
  const QString kind = latex ? QStringLiteral("LaTeX") : QStringLiteral("CSV");
  // However long the question stands, and whatever is compared by then.
  const QByteArray bytes =
      QByteArray::fromStdString(latex ? to_latex(model_.comparison()) : to_csv(model_.comparison()));
  ask_where_to_save(this,
                    {tr("Save comparison"), QStringLiteral("comparison.") + ending, ending,
                     QStringLiteral("%1 (*.%2)").arg(kind, ending)},
                    [this, bytes](const QString& path) {
                      QSaveFile file(path);
                      const bool saved = open_private(file) && file.write(bytes) == bytes.size() && file.commit();
                      if (saved)
                        emit said(QStringLiteral("info"), tr("Comparison saved: %1").arg(path));
                      else
                        say_not_saved(this, path, file.errorString());
                    });
}

void ComparePage::set_theme(const Theme& theme) {
  theme_ = theme;
  chart_->set_theme(theme);
  table_->viewport()->update();
}

}  // namespace kvantage
