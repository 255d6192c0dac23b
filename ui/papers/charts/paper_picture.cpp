#include "ui/papers/charts/paper_picture.h"

#include <QAbstractAxis>
#include <QAbstractItemView>
#include <QAbstractScrollArea>
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
#include <QScrollBar>
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

/// What is drawn on paper.
class PaperDrawing {
 public:
  PaperDrawing() = default;
  virtual ~PaperDrawing() = default;
  PaperDrawing(const PaperDrawing&) = delete;
  PaperDrawing& operator=(const PaperDrawing&) = delete;
  virtual QSizeF size_mm() const = 0;
  virtual QSize size() const = 0;  // pixels of 1/96 inch
  virtual void draw(QPainter& painter, double scale) const = 0;
};

Theme paper_theme() {
  Theme paper = theme_of(ThemeKind::light);
  paper.window = paper.panel = paper.base = Qt::white;
  return paper;
}

int paper_pixels(double mm) { return static_cast<int>(std::lround(mm / mm_per_inch * screen_dots)); }

/// `font` of the window in the family of the paper, and by so much larger.
QFont font_on_paper(QFont font, const PaperFont& wanted, double scale) {
  if (!wanted.family.isEmpty()) font.setFamily(wanted.family);
  if (font.pointSizeF() > 0)
    font.setPointSizeF(font.pointSizeF() * scale);
  else
    font.setPixelSize(std::max(1, static_cast<int>(std::lround(font.pixelSize() * scale))));
  return font;
}

/// A chart as it is drawn on paper, laid out and up to date; as it was before when this is gone.
class PaperChart final : public PaperDrawing {
 public:
  PaperChart(ChartPanel& chart, const PaperFormat& format)
      : chart_(chart),
        theme_(chart.theme()),
        palette_(chart.testAttribute(Qt::WA_SetPalette) ? chart.palette() : QPalette()),
        font_(chart.testAttribute(Qt::WA_SetFont) ? chart.font() : QFont()),
        size_(chart.size()),
        legend_height_(chart.legend().minimumHeight()),
        width_mm_(paper_width_mm(format.width)) {
    const Theme paper = paper_theme();
    QPalette palette = chart.palette();
    for (const QPalette::ColorRole role : {QPalette::Base, QPalette::Window}) palette.setColor(role, paper.base);
    chart.setPalette(palette);
    chart.set_theme(paper);
    if (font_percent() != 100 || format.font != PaperFont{}) set_fonts(format.font);
    const int wide = paper_pixels(width_mm_);
    const int high = format.width == PaperWidth::one_column ? wide * 3 / 4 : wide / 2;
    chart.resize(wide, high);
    if (is_unseen()) chart.show();
    chart.flush();
    lay_out(wide, high);
    // Upright names of categories may need more.
    if (const auto* figure = qobject_cast<const FigureChart*>(&chart); figure && figure->lacking_height() > 0)
      lay_out(wide, high + figure->lacking_height());
    height_mm_ = width_mm_ * chart.height() / wide;
  }
  ~PaperChart() override {
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
  QSizeF size_mm() const override { return {width_mm_, height_mm_}; }
  QSize size() const override { return chart_.size(); }
  void draw(QPainter& painter, double scale) const override {
    painter.scale(scale, scale);
    painter.setFont(chart_.font());  // an SVG names the font with the background, too
    painter.fillRect(QRect(QPoint(), size()), Qt::white);
    const WithoutScreenOnly drawn(chart_);
    chart_.render(&painter);
  }

 private:
  // The whole legend, however many rows it takes, and below it a plot of this height.
  void lay_out(int wide, int high) {
    const int legend = chart_.legend().heightForWidth(chart_.legend().width());
    chart_.resize(wide, high + legend);
    chart_.legend().setMaximumHeight(std::max(legend, 1));
    chart_.legend().setMinimumHeight(legend);
    chart_.layout()->activate();
    chart_.flush();
    chart_.chart().layout()->activate();
  }
  // Text of a paper has the size of its format, whatever that of the window is. The theme of before gives back the
  // others.
  void set_fonts(const PaperFont& wanted) {
    const auto axes = chart_.chart().axes();
    const double labels = axes.isEmpty() ? 0 : axes.constFirst()->labelsFont().pointSizeF();
    const double scale = wanted.points > 0 && labels > 0 ? wanted.points / labels : 100.0 / font_percent();
    const auto on_paper = [&](const QFont& font) { return font_on_paper(font, wanted, scale); };
    chart_.setFont(on_paper(QApplication::font()));
    chart_.legend().setFont(on_paper(chart_.legend().font()));
    for (QAbstractAxis* axis : axes) {
      axis->setLabelsFont(on_paper(axis->labelsFont()));
      axis->setTitleFont(on_paper(axis->titleFont()));
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

/// A view that paints itself, in the same way.
class PaperView final : public PaperDrawing {
 public:
  PaperView(QWidget& view, Themed& themed, const PaperFormat& format)
      : view_(view),
        themed_(themed),
        area_(qobject_cast<QAbstractScrollArea*>(&view)),
        font_(view.testAttribute(Qt::WA_SetFont) ? view.font() : QFont()),
        size_(view.size()),
        width_mm_(paper_width_mm(format.width)) {
    if (area_ != nullptr) {  // paper does not scroll
      bar_policy_ = area_->verticalScrollBarPolicy();
      scrolled_ = area_->verticalScrollBar()->value();
      area_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    }
    const QVariant share = view.property(label_share_property);
    const double labels = QApplication::font().pointSizeF() * (share.isValid() ? share.toDouble() : 1);
    const double scale = format.font.points > 0 && labels > 0 ? format.font.points / labels : 100.0 / font_percent();
    const int wide = paper_pixels(width_mm_), least = wide / 3;
    view.setFont(font_on_paper(QApplication::font(), format.font, scale));
    themed.set_theme(paper_theme());
    view.resize(wide, size_.width() > 0 ? std::max(least, wide * size_.height() / size_.width()) : least);
  }
  ~PaperView() override {
    const bool dark = QApplication::palette().color(QPalette::Base) == theme_of(ThemeKind::dark).base;
    view_.setFont(font_);
    themed_.set_theme(theme_of(dark ? ThemeKind::dark : ThemeKind::light));
    view_.resize(size_);
    if (area_ == nullptr) return;
    area_->setVerticalScrollBarPolicy(bar_policy_);
    area_->verticalScrollBar()->setValue(scrolled_);
  }
  QSizeF size_mm() const override { return {width_mm_, width_mm_ * view_.height() / view_.width()}; }
  QSize size() const override { return view_.size(); }
  void draw(QPainter& painter, double scale) const override {
    painter.scale(scale, scale);
    painter.setFont(view_.font());
    painter.fillRect(QRect(QPoint(), size()), Qt::white);
    const WithoutScreenOnly drawn(view_);
    view_.render(&painter);
  }

 private:
  QWidget& view_;
  Themed& themed_;
  QAbstractScrollArea* area_;  // null: it does not scroll
  Qt::ScrollBarPolicy bar_policy_ = Qt::ScrollBarAsNeeded;
  int scrolled_ = 0;
  QFont font_;
  QSize size_;
  double width_mm_;
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

bool write_svg(const PaperDrawing& chart, const QString& title, QIODevice& file) {
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

bool write_pdf(const PaperDrawing& chart, const QString& title, QIODevice& file) {
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

bool write_png(const PaperDrawing& chart, QIODevice& file) {
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

bool write_picture(const PaperDrawing& drawing, const QString& kind, const QString& title, QIODevice& file) {
  return kind == "svg"   ? write_svg(drawing, title, file)
         : kind == "pdf" ? write_pdf(drawing, title, file)
                         : write_png(drawing, file);
}

}  // namespace

bool has_paper_picture(const QWidget& picture) {
  if (qobject_cast<const ChartPanel*>(&picture) != nullptr) return true;
  return dynamic_cast<const Themed*>(&picture) != nullptr &&
         qobject_cast<const QAbstractItemView*>(&picture) == nullptr &&
         picture.findChild<QAbstractItemView*>() == nullptr;
}

bool save_paper_picture(const FigureResult& result, std::size_t table, const PaperFormat& format, const QString& kind,
                        const QString& path) {
  if (table >= result.tables.size() || !result.tables[table].plot) return false;
  QSaveFile file(path);
  if (!open_private(file)) return false;
  const std::unique_ptr<FigureChart> chart = unseen_chart(result, table);
  return write_picture(PaperChart(*chart, format), kind, core_text(result.tables[table].title), file) && file.commit();
}

bool save_paper_picture(QWidget& chart, const PaperFormat& format, const QString& kind, const QString& path) {
  QSaveFile file(path);
  if (!has_paper_picture(chart) || !open_private(file)) return false;
  const QString title = chart.accessibleName();
  if (auto* panel = qobject_cast<ChartPanel*>(&chart))
    return write_picture(PaperChart(*panel, format), kind, title, file) && file.commit();
  return write_picture(PaperView(chart, dynamic_cast<Themed&>(chart), format), kind, title, file) && file.commit();
}

}  // namespace kvantage
