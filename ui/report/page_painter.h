// Paints what is placed on a page.
#pragma once

#include <QPainter>

#include "ui/report/page_items.h"

namespace kvantage::inline report_pages {

/// In layout units. Needs a QApplication and its thread.
void paint_item(QPainter& painter, const PageItem& item, const PageLayout& layout);

}  // namespace kvantage::inline report_pages
