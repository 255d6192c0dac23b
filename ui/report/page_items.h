// The places of texts, rules and charts on the pages: the model that is painted, and that tests read. Boxes are in
// layout units (page_text.h) from the upper left corner of the page.
#pragma once

#include <QRectF>
#include <QSizeF>
#include <QString>
#include <cstddef>
#include <optional>
#include <vector>

#include "ui/report/chart_series.h"
#include "ui/report/page_content.h"
#include "ui/report/page_text.h"

namespace kvantage::inline report_pages {

struct PageItem {
  enum class Kind { text, rule, chart, swatch };
  Kind kind = Kind::text;
  std::size_t page = 0;
  QRectF box;
  QString text{};  // one line
  TextLook look{};
  std::size_t chart = 0;  // place in PageLayout::charts
  std::optional<SeriesLook> swatch{};
};

struct PlacedPage {
  bool landscape = false;
  std::size_t section = 0;
};

struct PageLayout {
  std::vector<PlacedPage> pages;
  std::vector<PageItem> items;  // in reading order
  std::vector<PageChart> charts;
};

/// Free on each side of a page.
inline constexpr double page_margin = 40 * units_per_point;
/// Of A4 in layout units.
QSizeF page_size(bool landscape);

/// Every section begins a page. Nothing is wider than its page, and no two texts overlap.
PageLayout layout_of(const ReportPages& pages);

struct PlacedChart {
  PageLayout layout;  // one page; what it shows is this far from its upper left corner: page_margin, page_margin
  QSizeF size;
};
/// A chart with its legend on a page of its own, as wide as the text of an upright page.
PlacedChart layout_of(const PageChart& chart);

/// With as many runs in its findings as leave each of their sections one page.
PageLayout layout_of(const RunReport& report);

}  // namespace kvantage::inline report_pages
