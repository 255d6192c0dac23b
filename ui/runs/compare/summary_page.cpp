#include "ui/runs/compare/summary_page.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include "ui/widgets/row_button.h"

namespace kvantage {

SummaryPage::SummaryPage(RunComparisonModel& source, ForestModel& forest, QWidget* parent)
    : QWidget(parent), source_(source), forest_(forest), text_(new QPlainTextEdit) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 4, 0, 0);
  column->setSpacing(4);
  text_->setReadOnly(true);
  text_->setTabChangesFocus(true);
  text_->setAccessibleName(tr("Summary of the comparison"));
  text_->setToolTip(tr("What was compared, what differs, and cautions"));
  column->addWidget(text_, 1);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 0, 8, 4);
  auto* copy = add_row_button(*row, tr("Copy summary"), tr("Copy these sentences to the clipboard"));
  row->addStretch(1);
  column->addLayout(row);
  connect(copy, &QPushButton::clicked, this, [this] {
    QApplication::clipboard()->setText(summary_.text);
    emit copied();
  });
  connect(&forest_, &QAbstractItemModel::modelReset, this, [this] {
    summary_ = compared_summary(source_, forest_.other());
    text_->setPlainText(summary_.text);
    emit changed();
  });
}

}  // namespace kvantage
