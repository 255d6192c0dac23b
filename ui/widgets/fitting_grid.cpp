#include "ui/widgets/fitting_grid.h"

#include <QEvent>
#include <algorithm>

namespace kvantage {

FittingGrid::FittingGrid(int max_columns, int spacing, QWidget* parent)
    : QWidget(parent), grid_(new QGridLayout(this)), max_columns_(max_columns), columns_(max_columns) {
  grid_->setContentsMargins(0, 0, 0, 0);
  grid_->setVerticalSpacing(2);
  grid_->setHorizontalSpacing(spacing);
}

void FittingGrid::set_parts(std::vector<QWidget*> parts) {
  parts_ = std::move(parts);
  place();
  arrange();
}

QSize FittingGrid::minimumSizeHint() const { return {width_of(1), grid_->minimumSize().height()}; }

void FittingGrid::place() {
  while (QLayoutItem* item = grid_->takeAt(0)) delete item;
  for (std::size_t i = 0; i < parts_.size(); ++i)
    grid_->addWidget(parts_[i], static_cast<int>(i) / columns_, static_cast<int>(i) % columns_);
}

int FittingGrid::width_of(int columns) const {
  int width = 0;
  for (int column = 0; column < columns; ++column) {
    int widest = 0;
    for (std::size_t i = static_cast<std::size_t>(column); i < parts_.size(); i += static_cast<std::size_t>(columns))
      widest = std::max(widest, parts_[i]->minimumSizeHint().width());
    width += widest + (column > 0 ? grid_->horizontalSpacing() : 0);
  }
  return width;
}

void FittingGrid::arrange() {
  int columns = max_columns_;
  while (columns > 1 && width_of(columns) > width()) --columns;
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
