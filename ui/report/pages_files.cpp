#include "ui/report/pages_files.h"

#include <QBuffer>
#include <QFontInfo>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>

#include "ui/report/page_painter.h"

namespace kvantage::inline report_pages {

Expected<std::string> pages_pdf(const ReportPages& pages) {
  if (QFontInfo(page_font({})).family().isEmpty())
    return fail(ErrorCode::io,
                "the PDF: this machine has no font to set text in; install one, such as fonts-dejavu-core");
  const PageLayout layout = layout_of(pages);
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  QPdfWriter writer(&buffer);
  writer.setTitle(page_line(pages.title));
  writer.setCreator(QStringLiteral("KVantage"));
  writer.setResolution(units_per_inch);
  writer.setPageSize(QPageSize(QPageSize::A4));
  writer.setPageMargins(QMarginsF(0, 0, 0, 0));
  QPainter painter;
  for (std::size_t page = 0; page < layout.pages.size(); ++page) {
    writer.setPageOrientation(layout.pages[page].landscape ? QPageLayout::Landscape : QPageLayout::Portrait);
    if (page == 0)
      painter.begin(&writer);
    else
      writer.newPage();
    for (const PageItem& item : layout.items)
      if (item.page == page) paint_item(painter, item, layout);
  }
  painter.end();
  return buffer.data().toStdString();
}

std::string chart_svg(const PageChart& chart) {
  const PlacedChart placed = layout_of(chart);
  if (placed.layout.items.empty()) return {};
  QBuffer buffer;
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setResolution(units_per_inch);
  generator.setSize(placed.size.toSize());
  generator.setViewBox(QRectF(QPointF(), placed.size));
  {
    QPainter painter(&generator);
    painter.translate(-page_margin, -page_margin);
    for (const PageItem& item : placed.layout.items) paint_item(painter, item, placed.layout);
  }
  const QByteArray file = buffer.data();
  const qsizetype begin = file.indexOf("<svg");  // behind the declarations of a file of its own
  return begin < 0 ? std::string() : file.mid(begin).toStdString();
}

}  // namespace kvantage::inline report_pages
