#include "ui/papers/charts/paper_picture.h"

#include <QAbstractAxis>
#include <QApplication>
#include <QBuffer>
#include <QFont>
#include <QGraphicsLayout>
#include <QImage>
#include <QLayout>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QRegularExpression>
#include <QSvgGenerator>
#include <algorithm>
#include <cmath>
#include <memory>

#include "ui/charts/screen_only.h"
#include "ui/files/private_file.h"
#include "ui/look/font_scale.h"
#include "ui/papers/charts/figure_charts.h"
#include "ui/text/core_text.h"

namespace kvantage {
namespace {

constexpr double mm_per_inch = 25.4;
constexpr int screen_dots = 96;  // a pixel of the chart is 1/96 inch of the paper

/// A chart as it is drawn on paper, laid out and up to date; as it was before when this is gone.
class PaperChart {
 public:
  PaperChart(ChartPanel& chart, PaperWidth width)
      : chart_(chart),
        theme_(chart.theme()),
        palette_(chart.testAttribute(Qt::WA_SetPalette) ? chart.palette() : QPalette()),
        font_(chart.testAttribute(Qt::WA_SetFont) ? chart.font() : QFont()),
        size_(chart.size()),
        legend_height_(chart.legend().minimumHeight()),
        width_mm_(paper_width_mm(width)) {
    Theme paper = theme_of(ThemeKind::light);
    paper.window = paper.panel = paper.base = Qt::white;
    QPalette palette = chart.palette();
    for (const QPalette::ColorRole role : {QPalette::Base, QPalette::Window}) palette.setColor(role, paper.base);
    chart.setPalette(palette);
    chart.set_theme(paper);
    if (font_percent() != 100) set_fonts();
    const int wide = static_cast<int>(std::lround(width_mm_ / mm_per_inch * screen_dots));
    const int high = width == PaperWidth::one_column ? wide * 3 / 4 : wide / 2;
    chart.resize(wide, high);
    if (is_unseen()) chart.show();
    chart.flush();
    // The whole legend, however many rows it takes, and below it a plot of the same height.
    const int legend = chart.legend().heightForWidth(chart.legend().width());
    chart.resize(wide, high + legend);
    chart.legend().setMaximumHeight(std::max(legend, 1));
    chart.legend().setMinimumHeight(legend);
    chart.layout()->activate();
    chart.flush();
    chart.chart().layout()->activate();
    height_mm_ = width_mm_ * chart.height() / wide;
  }
  ~PaperChart() {
    if (is_unseen()) return;
    chart_.legend().setMinimumHeight(legend_height_);
    chart_.setPalette(palette_);
    chart_.setFont(font_);
    chart_.set_theme(theme_);
    chart_.resize(size_);
    chart_.layout()->activate();
    chart_.flush();
    chart_.chart().layout()->activate();
  }
  PaperChart(const PaperChart&) = delete;
  PaperChart& operator=(const PaperChart&) = delete;
  QSizeF size_mm() const { return {width_mm_, height_mm_}; }
  QSize size() const { return chart_.size(); }
  void draw(QPainter& painter, double scale) const {
    painter.scale(scale, scale);
    painter.setFont(chart_.font());  // an SVG names the font with the background, too
    painter.fillRect(QRect(QPoint(), size()), Qt::white);
    const WithoutScreenOnly drawn(chart_);
    chart_.render(&painter);
  }

 private:
  // Text of a paper has one size, whatever that of the window is. The theme of before gives back the others.
  void set_fonts() {
    const auto unscaled = [](QFont font) {
      if (font.pointSizeF() > 0)
        font.setPointSizeF(font.pointSizeF() * 100 / font_percent());
      else
        font.setPixelSize(std::max(1, font.pixelSize() * 100 / font_percent()));
      return font;
    };
    chart_.setFont(unscaled(QApplication::font()));
    chart_.legend().setFont(unscaled(chart_.legend().font()));
    const auto axes = chart_.chart().axes();
    for (QAbstractAxis* axis : axes) {
      axis->setLabelsFont(unscaled(axis->labelsFont()));
      axis->setTitleFont(unscaled(axis->titleFont()));
    }
  }
  bool is_unseen() const { return chart_.testAttribute(Qt::WA_DontShowOnScreen); }
  ChartPanel& chart_;
  Theme theme_;
  QPalette palette_;
  QFont font_;
  QSize size_;
  int legend_height_;
  double width_mm_, height_mm_ = 0;
};

/// The chart of a figure's table, in no window that is seen.
std::unique_ptr<FigureChart> unseen_chart(const FigureResult& result, std::size_t table) {
  std::unique_ptr<FigureChart> chart(figure_chart_of(result.tables[table].plot->kind)(nullptr));
  for (const Qt::WidgetAttribute hidden : {Qt::WA_DontShowOnScreen, Qt::WA_ShowWithoutActivating})
    chart->setAttribute(hidden);
  chart->setAttribute(Qt::WA_QuitOnClose, false);
  chart->show_table(result, table);
  return chart;
}

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

bool write_picture(ChartPanel& panel, PaperWidth width, const QString& kind, const QString& title, QIODevice& file) {
  const PaperChart chart(panel, width);
  return kind == "svg"   ? write_svg(chart, title, file)
         : kind == "pdf" ? write_pdf(chart, title, file)
                         : write_png(chart, file);
}

}  // namespace

double paper_width_mm(PaperWidth width) { return width == PaperWidth::one_column ? 85 : 178; }

bool save_paper_picture(const FigureResult& result, std::size_t table, PaperWidth width, const QString& kind,
                        const QString& path) {
  if (table >= result.tables.size() || !result.tables[table].plot) return false;
  QSaveFile file(path);
  if (!open_private(file)) return false;
  const std::unique_ptr<FigureChart> chart = unseen_chart(result, table);
  return write_picture(*chart, width, kind, core_text(result.tables[table].title), file) && file.commit();
}

bool save_paper_picture(ChartPanel& chart, PaperWidth width, const QString& kind, const QString& path) {
  QSaveFile file(path);
  return open_private(file) && write_picture(chart, width, kind, chart.accessibleName(), file) && file.commit();
}

}  // namespace kvantage
