// Paints what is placed on a page.
#pragma once

#include <QPainter>

#include "ui/report/chart_picture.h"
#include "ui/report/page_items.h"

namespace kvantage::inline report_pages {

/// Of an item that is a chart; what is below needs a QApplication and its thread, too.
ChartPicture picture_of(const PageItem& item, const PageLayout& layout);
void paint_chart(QPainter& painter, const PageItem& item, const ChartPicture& picture);

/// In layout units.
void paint_item(QPainter& painter, const PageItem& item, const PageLayout& layout);

}  // namespace kvantage::inline report_pages
