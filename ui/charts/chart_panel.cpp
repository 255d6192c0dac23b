#include "ui/charts/chart_panel.h"

#include <QFontMetrics>
#include <QGraphicsLayout>
#include <QMouseEvent>
#include <QVBoxLayout>
#include <QValueAxis>
#include <QXYSeries>
#include <algorithm>
#include <utility>

namespace kvantage {
namespace {

bool chart_has_points(const QChart& chart) {
  const QList<QAbstractSeries*> series = chart.series();
  return std::ranges::any_of(series, [](const QAbstractSeries* each) {
    const auto* line = qobject_cast<const QXYSeries*>(each);
    return line != nullptr && line->isVisible() && line->count() > 0;
  });
}

/// An axis without one is not laid out yet: its title would be painted over that of the other.
bool has_range(const QAbstractAxis& axis) {
  const auto* values = qobject_cast<const QValueAxis*>(&axis);
  return values == nullptr || values->min() < values->max();
}

}  // namespace

class ChartPanel::View : public QChartView {
 public:
  View(QChart* chart, ChartPanel& panel) : QChartView(chart), panel_(panel) {
    setRenderHint(QPainter::Antialiasing);
    setViewportUpdateMode(QGraphicsView::FullViewportUpdate);
    setFrameShape(QFrame::NoFrame);
    setMouseTracking(true);
    setFocusPolicy(Qt::NoFocus);
    viewport()->setFocusPolicy(Qt::NoFocus);  // the panel takes the keyboard
    setMinimumSize(160, 88);
  }

 protected:
  bool viewportEvent(QEvent* event) override {
    if (event->type() == QEvent::ToolTip) return true;  // what is under the mouse says its own
    return QChartView::viewportEvent(event);
  }
  void drawForeground(QPainter* painter, const QRectF& rect) override {
    QChartView::drawForeground(painter, rect);
    const QString empty = panel_.empty_text();
    if (!empty.isEmpty()) {
      painter->setPen(panel_.theme().muted);
      painter->drawText(chart()->plotArea().adjusted(20, 10, -20, -10),
                        static_cast<int>(Qt::AlignCenter) | static_cast<int>(Qt::TextWordWrap), empty);
    }
    painter->save();
    // What is outside of the shown part is not painted over the axes; markers at its edge are whole.
    if (panel_.zoom_->zoomed() || panel_.zoom_->view().held())
      painter->setClipRect(chart()->plotArea().adjusted(-9, -9, 9, 9));
    panel_.paint_over(*painter);
    if (panel_.linked_ != nullptr) panel_.linked_->paint(*painter, panel_.theme_);
    panel_.keys_->paint(*painter, panel_.theme_);
    painter->restore();
    if (chart_has_points(*chart())) emit panel_.drawn();
  }
  void mouseMoveEvent(QMouseEvent* event) override {
    PinnedTip::hover(*this, event->globalPosition().toPoint(), panel_.tip_at(mapToScene(event->position().toPoint())));
    QChartView::mouseMoveEvent(event);
  }
  void mousePressEvent(QMouseEvent* event) override {
    if (event->button() == Qt::LeftButton) {
      const QPointF at = mapToScene(event->position().toPoint());
      pressed_tip_ = panel_.tip_at(at);
      panel_.clicked_at(at);
    }
    QChartView::mousePressEvent(event);
  }
  void mouseReleaseEvent(QMouseEvent* event) override {
    if (event->button() == Qt::LeftButton) PinnedTip::click(panel_, event->globalPosition().toPoint(), pressed_tip_);
    pressed_tip_.clear();
    QChartView::mouseReleaseEvent(event);
  }

 private:
  ChartPanel& panel_;
  QString pressed_tip_;  // of where the button was pressed
};

ChartPanel::ChartPanel(const QString& name, QWidget* parent, int interval_ms)
    : QWidget(parent),
      theme_(theme_of(ThemeKind::light)),
      chart_(new QChart),
      legend_(new LegendStrip),
      axes_(*chart_, [this] { return !empty_text().isEmpty(); }) {
  chart_->legend()->hide();
  // A label at the end of the axis stands half beyond it.
  const int half_label = QFontMetrics(font()).horizontalAdvance(QStringLiteral("200 ms")) / 2;
  chart_->setMargins(QMargins(2, 2, half_label + 2, 2));
  chart_->layout()->setContentsMargins(0, 0, 0, 0);
  view_ = new View(chart_, *this);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(8, 6, 4, 2);
  column->setSpacing(2);
  column->addWidget(legend_);
  column->addWidget(view_, 1);
  lazy_ = new LazyRefresh(
      *this,
      [this] {
        axes_.restore();
        refresh();
        show_titles();
        axes_.take();
        // The shared range is at least as long as the chart's data.
        if (linked_range_ != nullptr) linked_range_->reach(axes_.own_end());
        zoom_->sync();
        repaint_overlay();
      },
      interval_ms, LazyRefresh::Turns::one_a_frame);
  setObjectName("chartPanel");
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  setAccessibleName(name);
  setToolTip(tr("%1. Right-click or press the menu key for the table and export.").arg(name));
  install_chart_menu(*this, {this, name, [this] {
                               flush();
                               return table();
                             }});
  keys_ = new PointKeys(*this, *view_->viewport(), name, [this] { return key_rows(); });
  zoom_ = new ChartZoom(*this, *view_->viewport(), axes_, name, keys_);
  axes_.on_shown([this] { shown_changed(); });
  connect(keys_, &PointKeys::asked, this, &ChartPanel::flush);
  connect(keys_, &PointKeys::entered, this, &ChartPanel::entered);
}

ChartPanel::~ChartPanel() = default;

void ChartPanel::set_theme(const Theme& theme) {
  theme_ = theme;
  style_chart(*chart_, theme);
  view_->setBackgroundBrush(theme.base);
  legend_->set_theme(theme);
  show_titles();
  if (isVisible())
    lazy_->invalidate_at_once();  // colors of two themes do not go together, and styling has put others in
  else
    invalidate();
}

void ChartPanel::show_titles() {
  const auto axes = chart_->axes();
  // Axes of series without points are from 0 to 1, which is the range of nothing.
  const bool titled = !compact() && empty_text().isEmpty();
  for (QAbstractAxis* axis : axes) axis->setTitleVisible(titled && has_range(*axis));
}

void ChartPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  show_titles();
  const int room = std::max(height() * 3 / 10, 40);  // large text must leave room for the chart itself
  const int row = legend_->minimumSizeHint().height();
  legend_->setMaximumHeight(low_ && height() < 130 ? row : std::max(1, room / row) * row);  // no row cut in half
  invalidate();
}

void ChartPanel::allow_low(int pixels) {
  low_ = true;
  view_->setMinimumHeight(pixels);
}

void ChartPanel::paintEvent(QPaintEvent* event) {
  QWidget::paintEvent(event);
  QPainter painter(this);
  paint_focus(painter, *this, theme_);
}

void ChartPanel::link_time(TimeCursor& cursor, TimeReading reading) {
  delete linked_;
  delete linked_range_;
  const TimeAxis axis = reading.axis;
  linked_ = new LinkedCursor(*view_->viewport(), cursor, std::move(reading));
  axes_.limit_x([range = QPointer<TimeRange>(&cursor.range()), axis]() -> std::optional<AxisSpan> {
    return range && axis.in_seconds() ? std::optional(AxisSpan{0, range->extent()}) : std::nullopt;
  });
  linked_range_ = new LinkedRange(*zoom_, cursor.range(), axis);
}

void ChartPanel::clicked_at(const QPointF& at) {
  if (const auto stop = keys_->near(at)) entered(*stop);
}

QString ChartPanel::tip_near(const QPointF& at) const {
  const auto stop = keys_->near(at);
  return stop ? stop->text() : QString();
}

QPen curve_pen(const QColor& color, double width, const QList<qreal>& dashes) {
  QPen pen(color, width);
  pen.setCosmetic(true);
  pen.setJoinStyle(
      Qt::BevelJoin);  // round ones take twice as long on a line of hundreds of pieces, and nobody sees them
  pen.setCapStyle(Qt::FlatCap);
  if (!dashes.isEmpty()) pen.setDashPattern(dashes);
  return pen;
}

}  // namespace kvantage
