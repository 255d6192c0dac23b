#include "ui/widgets/fitting_grid.h"

#include <QEvent>
#include <algorithm>

namespace kvantage {

FittingGrid::FittingGrid(int most_columns, int spacing, QWidget* parent)
    : QWidget(parent), grid_(new QGridLayout(this)), most_columns_(most_columns), columns_(most_columns) {
  grid_->setContentsMargins(0, 0, 0, 0);
  grid_->setVerticalSpacing(2);
  grid_->setHorizontalSpacing(spacing);
}

void FittingGrid::set_parts(std::vector<QWidget*> parts) {
  parts_ = std::move(parts);
  place();
  arrange();
}

int FittingGrid::widest() const {
  int width = 0;
  for (const QWidget* part : parts_) width = std::max(width, part->minimumSizeHint().width());
  return width;
}

QSize FittingGrid::minimumSizeHint() const { return {widest(), grid_->minimumSize().height()}; }

void FittingGrid::place() {
  while (QLayoutItem* item = grid_->takeAt(0)) delete item;
  for (std::size_t i = 0; i < parts_.size(); ++i) grid_->addWidget(parts_[i], static_cast<int>(i) / columns_, static_cast<int>(i) % columns_);
}

void FittingGrid::arrange() {
  const int spacing = grid_->horizontalSpacing(), fit = (width() + spacing) / std::max(widest() + spacing, 1);
  const int columns = std::clamp(fit, 1, most_columns_);
  if (columns == columns_) return;
  columns_ = columns;
  place();
  updateGeometry();
}

bool FittingGrid::event(QEvent* event) {
  const bool handled = QWidget::event(event);
  if (event->type() == QEvent::LayoutRequest) arrange();
  return handled;
}

void FittingGrid::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

}  // namespace kvantage
