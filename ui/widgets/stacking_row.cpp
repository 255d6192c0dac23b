#include "ui/widgets/stacking_row.h"

#include <QEvent>
#include <algorithm>

namespace kvantage {
namespace {
constexpr int stacked_spacing = 2;  // pixels
}  // namespace

StackingRow::StackingRow(int spacing, QWidget* parent)
    : QWidget(parent), row_(new QHBoxLayout(this)), spacing_(spacing) {
  row_->setContentsMargins(0, 0, 0, 0);
  row_->setSpacing(spacing);
}

void StackingRow::add(QWidget* part, int stretch, Qt::Alignment alignment) {
  row_->addWidget(part, stretch, alignment);
}

QSize StackingRow::minimumSizeHint() const {
  int widest = 0;
  for (int i = 0; i < row_->count(); ++i) widest = std::max(widest, row_->itemAt(i)->minimumSize().width());
  return {widest, row_->minimumSize().height()};
}

void StackingRow::arrange() {
  int wanted = -spacing_;
  for (int i = 0; i < row_->count(); ++i) wanted += row_->itemAt(i)->minimumSize().width() + spacing_;
  const bool below = width() < wanted;
  if (below == stacked()) return;
  row_->setDirection(below ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
  row_->setSpacing(below ? stacked_spacing : spacing_);
  updateGeometry();
}

bool StackingRow::event(QEvent* event) {
  const bool handled = QWidget::event(event);
  if (event->type() == QEvent::LayoutRequest) arrange();
  return handled;
}

void StackingRow::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

}  // namespace kvantage
