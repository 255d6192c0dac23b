#include "ui/widgets/work_line.h"

#include <QHBoxLayout>

namespace kvantage {

WorkLine::WorkLine(const QString& about, QWidget* parent)
    : QWidget(parent), what_(new QLabel), bar_(new QProgressBar), cancel_(new QPushButton(tr("Cancel"))) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  what_->setTextFormat(Qt::PlainText);
  bar_->setFixedWidth(140);
  bar_->setTextVisible(false);
  bar_->setAccessibleName(tr("Progress of %1").arg(about));
  cancel_->setAccessibleName(tr("Cancel %1").arg(about));
  cancel_->setToolTip(tr("Cancel and change nothing"));
  cancel_->setAutoDefault(false);
  for (QWidget* part : std::initializer_list<QWidget*>{what_, bar_, cancel_}) row->addWidget(part);
  connect(cancel_, &QPushButton::clicked, this, &WorkLine::cancelled);
  hide();
}

void WorkLine::show_work(const QString& what, int done, int total) {
  what_->setText(what);
  bar_->setRange(0, total);
  bar_->setValue(done);
  show();
}

}  // namespace kvantage
