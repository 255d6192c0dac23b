#include "ui/docks/figures_page.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/charts/model_table.h"
#include "ui/widgets/row_table.h"

namespace kvantage {

FiguresPage::FiguresPage(RunFiguresModel& model, QWidget* parent)
    : QWidget(parent), model_(model), title_(new QLabel), text_(new QLineEdit), table_(new QTableView) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 0, 8, 0);
  auto* back = new QPushButton(QStringLiteral("← Runs"));
  back->setToolTip(QStringLiteral("Back to the list of runs"));
  back->setAccessibleName(QStringLiteral("Back from the figures to the list of runs"));
  back->setAutoDefault(false);
  text_->setPlaceholderText(QStringLiteral("Filter figures"));
  text_->setClearButtonEnabled(true);
  text_->setAccessibleName(QStringLiteral("Filter figures"));
  text_->setToolTip(QStringLiteral("Figures that hold this in some column: ttft, hit_rate, ssd"));
  text_->setMaximumWidth(260);
  title_->setProperty("muted", true);
  title_->setTextFormat(Qt::PlainText);
  title_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  row->addWidget(back);
  row->addWidget(title_, 1);
  row->addWidget(text_);
  column->addLayout(row);

  filter_.setSourceModel(&model_);
  filter_.setFilterKeyColumn(-1);
  filter_.setFilterCaseSensitivity(Qt::CaseInsensitive);
  table_->setModel(&filter_);
  table_->setAccessibleName(QStringLiteral("Figures of the chosen runs"));
  table_->setToolTip(QStringLiteral("Every figure of the report; point at a row for what it means"));
  show_as_rows(*table_);
  table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  column->addWidget(table_, 1);
  empty_ = new EmptyNote(*table_, [this] {
    if (model_.busy()) return QStringLiteral("Reading the run and computing its figures…");
    return model_.rowCount() > 0 ? QStringLiteral("No figure fits the filter. Clear it to see all.")
                                 : QStringLiteral("No run is chosen. Go back, choose one and press Figures.");
  });
  install_chart_menu(*table_, {table_, QStringLiteral("Figures of runs"), [this] { return table_of(filter_); }});

  connect(back, &QPushButton::clicked, this, &FiguresPage::backRequested);
  connect(text_, &QLineEdit::textChanged, this,
          [this](const QString& text) { filter_.setFilterFixedString(text.trimmed()); });
  const auto update = [this] {
    title_->setText(model_.busy() ? QStringLiteral("Computing figures and intervals…") : model_.claim());
    title_->setToolTip(model_.claim());
    empty_->update_text();
  };
  connect(&model_, &RunFiguresModel::busyChanged, this, update);
  connect(&model_, &RunFiguresModel::shown, this, [this, update] {
    update();
    table_->ensurePolished();
    table_->resizeColumnsToContents();
    for (int c = 0; c < filter_.columnCount(); ++c)
      table_->setColumnWidth(c, std::min(table_->columnWidth(c) + 10, 260));
  });
}

}  // namespace kvantage
