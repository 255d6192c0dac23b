#include "ui/live/frontier/head_layout.h"

#include <algorithm>

namespace kvantage {
namespace {
constexpr int head_line_spacing = 2;  // pixels
}  // namespace

HeadLayout::HeadLayout(int spacing) { setSpacing(spacing); }

HeadLayout::~HeadLayout() {
  for (QLayoutItem* item : items_) delete item;
}

void HeadLayout::addItem(QLayoutItem* item) { items_.push_back(item); }

QLayoutItem* HeadLayout::itemAt(int index) const {
  return index >= 0 && index < count() ? items_[static_cast<std::size_t>(index)] : nullptr;
}

QLayoutItem* HeadLayout::takeAt(int index) {
  QLayoutItem* item = itemAt(index);
  if (item != nullptr) items_.erase(items_.begin() + index);
  return item;
}

/// Returns the height of all lines in the width of `rect`.
int HeadLayout::arrange(const QRect& rect, bool place) const {
  std::vector<QLayoutItem*> shown;
  shown.reserve(items_.size());
  for (QLayoutItem* item : items_)
    if (!item->isEmpty()) shown.push_back(item);
  int y = rect.y();
  for (std::size_t first = 0; first < shown.size();) {
    int used = 0, height = 0;
    std::size_t end = first;
    for (; end < shown.size(); ++end) {
      const QSize hint = shown[end]->sizeHint();
      const int wanted = used + (end > first ? spacing() : 0) + hint.width();
      if (end > first && wanted > rect.width()) break;
      used = wanted;
      height = std::max(height, hint.height());
    }
    const int spare = std::max(0, rect.width() - used);
    int x = rect.x() + (first > 0 ? spare : 0);
    for (std::size_t i = first; place && i < end; ++i) {
      const QSize hint = shown[i]->sizeHint();
      const int width = std::min(hint.width(), rect.width());
      shown[i]->setGeometry(QRect(x, y + (height - hint.height()) / 2, width, hint.height()));
      x += width + spacing() + (i == 0 ? spare : 0);  // all but the title are at the right
    }
    y += height + head_line_spacing;
    first = end;
  }
  return shown.empty() ? 0 : y - head_line_spacing - rect.y();
}

int HeadLayout::heightForWidth(int width) const {
  const QMargins margins = contentsMargins();
  return arrange(QRect(0, 0, width - margins.left() - margins.right(), 0), false) + margins.top() + margins.bottom();
}

QSize HeadLayout::sizeHint() const {
  int width = 0, height = 0;
  for (const QLayoutItem* item : items_) {
    if (item->isEmpty()) continue;
    width += (width > 0 ? spacing() : 0) + item->sizeHint().width();
    height = std::max(height, item->sizeHint().height());
  }
  return QSize(width, height).grownBy(contentsMargins());
}

QSize HeadLayout::minimumSize() const {
  QSize least(0, 0);
  for (const QLayoutItem* item : items_)
    if (!item->isEmpty()) least = least.expandedTo(item->minimumSize());
  return least.grownBy(contentsMargins());
}

void HeadLayout::setGeometry(const QRect& rect) {
  QLayout::setGeometry(rect);
  arrange(rect.marginsRemoved(contentsMargins()), true);
}

}  // namespace kvantage
