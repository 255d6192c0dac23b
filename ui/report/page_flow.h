// Puts blocks below each other and begins a new page where one does not fit.
#pragma once

#include "ui/report/page_items.h"

namespace kvantage::inline report_pages {

class PageFlow {
 public:
  /// `endless`: a page has room for everything.
  explicit PageFlow(bool endless = false) : endless_(endless) {}
  /// Begins a page; what follows belongs to this section.
  void begin_section(std::size_t section, bool landscape);
  void add(const PageText& text);
  void add(const Table& table);
  void add(const PageChart& chart);
  /// Chart and legend alone.
  void add_plot(const PageChart& chart);
  /// Of the present page.
  double used_height() const { return y_ - page_margin; }
  /// With a footer on each page that ends.
  PageLayout take(const QString& title);

 private:
  double width() const;
  double room() const { return bottom() - y_; }
  double bottom() const;
  void begin_page();
  /// A new page unless so much is left, or the page is empty.
  void need(double height);
  void skip(double height);
  PageItem& put(PageItem::Kind kind, const QRectF& box);
  void put_text(double x, double width, const QString& text, const TextLook& look, bool right = false);
  void rule(double width);
  /// Wrapped; together on a page where a page is high enough, with `keep` below it.
  void paragraph(const QString& text, const TextLook& look, double keep = 0);
  void heading(const std::string& text, double keep);
  void legend(const PageChart& chart);
  void columns(const Table& table, const std::vector<std::size_t>& shown);
  void table_head(const std::vector<std::vector<QString>>& cells, const std::vector<double>& widths,
                  const std::vector<bool>& left, const TextLook& look);
  void table_row(const std::vector<std::vector<QString>>& cells, const std::vector<double>& widths,
                 const std::vector<bool>& left, const TextLook& look);

  const bool endless_;
  PageLayout layout_;
  bool landscape_ = false;
  std::size_t section_ = 0;
  double y_ = 0;
};

}  // namespace kvantage::inline report_pages
