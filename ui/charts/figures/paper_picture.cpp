#include "ui/charts/figures/paper_picture.h"

#include <QBuffer>
#include <QGraphicsLayout>
#include <QImage>
#include <QLayout>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QRegularExpression>
#include <QSvgGenerator>
#include <cmath>
#include <memory>

#include "ui/charts/figures/figure_charts.h"
#include "ui/models/core_text.h"
#include "ui/private_file.h"

namespace kvantage {
namespace {

constexpr double mm_per_inch = 25.4;
constexpr int screen_dots = 96;  // a pixel of the chart is 1/96 inch of the paper

/// The chart as it is drawn on paper, laid out and up to date.
class PaperChart {
 public:
  PaperChart(const FigureResult& result, std::size_t table, PaperWidth width)
      : chart_(figure_chart_of(result.tables[table].plot->kind)(nullptr)), width_mm_(paper_width_mm(width)) {
    Theme paper = theme_of(ThemeKind::light);
    paper.window = paper.panel = paper.base = Qt::white;
    QPalette palette = chart_->palette();
    for (const QPalette::ColorRole role : {QPalette::Base, QPalette::Window}) palette.setColor(role, paper.base);
    chart_->setPalette(palette);
    for (const Qt::WidgetAttribute hidden : {Qt::WA_DontShowOnScreen, Qt::WA_ShowWithoutActivating})
      chart_->setAttribute(hidden);
    chart_->setAttribute(Qt::WA_QuitOnClose, false);
    chart_->set_theme(paper);
    chart_->show_table(result, table);
    const int wide = static_cast<int>(std::lround(width_mm_ / mm_per_inch * screen_dots));
    const int high = width == PaperWidth::one_column ? wide * 3 / 4 : wide / 2;
    chart_->resize(wide, high);
    chart_->show();
    chart_->flush();
    // The whole legend, however many rows it takes, and below it a plot of the same height.
    const int legend = chart_->legend().heightForWidth(chart_->legend().width());
    chart_->resize(wide, high + legend);
    chart_->legend().setMaximumHeight(std::max(legend, 1));
    chart_->legend().setMinimumHeight(legend);
    chart_->layout()->activate();
    chart_->flush();
    chart_->chart().layout()->activate();
    height_mm_ = width_mm_ * chart_->height() / wide;
  }
  QSizeF size_mm() const { return {width_mm_, height_mm_}; }
  QSize size() const { return chart_->size(); }
  void draw(QPainter& painter, double scale) const {
    painter.scale(scale, scale);
    painter.fillRect(QRect(QPoint(), size()), Qt::white);
    chart_->render(&painter);
  }

 private:
  std::unique_ptr<FigureChart> chart_;
  double width_mm_, height_mm_ = 0;
};

bool write_svg(const PaperChart& chart, const QString& title, QIODevice& file) {
  QBuffer buffer;
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setTitle(title);
  generator.setResolution(screen_dots);
  generator.setSize(chart.size());
  generator.setViewBox(QRect(QPoint(), chart.size()));
  {
    QPainter painter(&generator);
    if (!painter.isActive()) return false;
    chart.draw(painter, 1);
  }
  // Whole pixels are not whole millimeters: the size of the paper is exact, and the view box scales to it.
  QString svg = QString::fromUtf8(buffer.data());
  static const QRegularExpression size(QStringLiteral("width=\"[^\"]*\" height=\"[^\"]*\""));
  const QRegularExpressionMatch found = size.match(svg, svg.indexOf(QStringLiteral("<svg")));
  if (found.hasMatch())
    svg.replace(
        found.capturedStart(), found.capturedLength(),
        QStringLiteral("width=\"%1mm\" height=\"%2mm\"")
            .arg(QString::number(chart.size_mm().width(), 'g', 6), QString::number(chart.size_mm().height(), 'g', 6)));
  return file.write(svg.toUtf8()) > 0;
}

bool write_pdf(const PaperChart& chart, const QString& title, QIODevice& file) {
  QPdfWriter writer(&file);
  writer.setTitle(title);
  writer.setCreator(QStringLiteral("KVantage"));
  writer.setResolution(screen_dots);
  writer.setPageMargins(QMarginsF(0, 0, 0, 0));
  writer.setPageSize(QPageSize(chart.size_mm(), QPageSize::Millimeter, QString(), QPageSize::ExactMatch));
  QPainter painter(&writer);
  if (!painter.isActive()) return false;
  chart.draw(painter, chart.size_mm().width() / mm_per_inch * screen_dots / chart.size().width());
  return painter.end();
}

bool write_png(const PaperChart& chart, QIODevice& file) {
  const auto pixels = [](double mm) { return static_cast<int>(std::lround(mm / mm_per_inch * paper_dots_per_inch)); };
  QImage image(pixels(chart.size_mm().width()), pixels(chart.size_mm().height()), QImage::Format_RGB32);
  image.fill(Qt::white);
  {
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    chart.draw(painter, static_cast<double>(image.width()) / chart.size().width());
  }
  const int per_meter = static_cast<int>(std::lround(paper_dots_per_inch / mm_per_inch * 1000));
  image.setDotsPerMeterX(per_meter);
  image.setDotsPerMeterY(per_meter);
  return image.save(&file, "PNG");
}

}  // namespace

double paper_width_mm(PaperWidth width) { return width == PaperWidth::one_column ? 85 : 178; }

bool save_paper_picture(const FigureResult& result, std::size_t table, PaperWidth width, const QString& kind,
                        const QString& path) {
  if (table >= result.tables.size() || !result.tables[table].plot) return false;
  QSaveFile file(path);
  if (!open_private(file)) return false;
  const PaperChart chart(result, table, width);
  const QString title = core_text(result.tables[table].title);
  const bool written = kind == "svg"   ? write_svg(chart, title, file)
                       : kind == "pdf" ? write_pdf(chart, title, file)
                                       : write_png(chart, file);
  return written && file.commit();
}

}  // namespace kvantage
