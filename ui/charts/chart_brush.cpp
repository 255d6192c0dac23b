#include "ui/charts/chart_brush.h"

#include <QAction>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QRubberBand>
#include <QWidget>
#include <utility>

#include "ui/session/selection.h"
#include "ui/widgets/tip_lines.h"

namespace kvantage {
namespace {

constexpr double least_brush = 5;  // pixels; less is a click

}  // namespace

ChartBrush::ChartBrush(QWidget& owner, QWidget& canvas, const QString& name, PointKeys& keys,
                       std::function<PointKeys::Rows()> rows)
    : QObject(&owner), owner_(owner), canvas_(canvas), keys_(keys), rows_(std::move(rows)) {
  select_ = new QAction(tr("Se&lect points"), &owner);
  select_->setCheckable(true);
  select_->setData(name);
  select_->setStatusTip(tr("Drag over points of %1 to select them; Ctrl+Shift and drag does so at any time").arg(name));
  connect(select_, &QAction::toggled, this, [this](bool on) {
    if (on)
      canvas_.setCursor(Qt::CrossCursor);
    else
      canvas_.unsetCursor();
  });
  owner.addAction(select_);
  extend_tip_line(owner, TipLine::mouse, tr("Ctrl+Shift and drag selects points; Space adds the one at the keys."));
  canvas.installEventFilter(this);
  owner.installEventFilter(this);
}

std::set<QString> ChartBrush::within(const QRectF& box) const {
  if (ids_in_) return ids_in_(box);
  std::set<QString> ids;
  for (const auto& row : rows_())
    for (const PointStop& stop : row)
      if (!stop.id.isEmpty() && box.contains(stop.mark.center())) ids.insert(stop.id);
  return ids;
}

void ChartBrush::show(const std::set<QString>& ids) {
  if (ids == shown_) return;
  shown_ = ids;
  canvas_.update();
}

void ChartBrush::paint(QPainter& painter, const Theme& theme) const {
  if (shown_.empty()) return;
  constexpr double radius = 6;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(theme.accent, 2));
  painter.setBrush(Qt::NoBrush);
  for (const auto& row : rows_())
    for (const PointStop& stop : row)
      if (shown_.contains(stop.id)) painter.drawEllipse(stop.mark.center(), radius, radius);
  painter.restore();
}

bool ChartBrush::pressed(const QMouseEvent& event) {
  const Qt::KeyboardModifiers modifiers = event.modifiers() & ~Qt::KeypadModifier;
  own_press_ = modifiers == (Qt::ControlModifier | Qt::ShiftModifier);
  armed_ = event.button() == Qt::LeftButton && (own_press_ || (select_->isChecked() && modifiers == Qt::NoModifier));
  from_ = event.position();
  return armed_ && own_press_;  // a plain click is still one
}

bool ChartBrush::dragged(const QMouseEvent& event) {
  if (!armed_) return false;
  const QRectF box = QRectF(from_, event.position()).normalized();
  if (!band_ && box.width() < least_brush && box.height() < least_brush) return own_press_;
  if (!band_) band_ = new QRubberBand(QRubberBand::Rectangle, &canvas_);
  band_->setGeometry(box.toAlignedRect() & canvas_.rect());
  band_->show();
  return true;
}

bool ChartBrush::released(const QMouseEvent& event) {
  if (!armed_ || event.button() != Qt::LeftButton) return false;
  armed_ = false;
  if (!band_) return own_press_;
  delete band_;
  emit brushed(within(QRectF(from_, event.position()).normalized()));
  return true;
}

bool ChartBrush::toggle_at_keys() {
  const auto at = keys_.stop();
  if (!at) return false;
  for (const auto& row : rows_())
    for (const PointStop& stop : row) {
      if (stop.id.isEmpty() || stop.mark != at->mark) continue;
      std::set<QString> ids = shown_;
      if (ids.erase(stop.id) == 0) ids.insert(stop.id);
      emit brushed(ids);
      return true;
    }
  return false;
}

bool ChartBrush::eventFilter(QObject* watched, QEvent* event) {
  bool mine = false;
  if (watched == &canvas_) {
    if (event->type() == QEvent::MouseButtonPress) mine = pressed(*static_cast<QMouseEvent*>(event));
    if (event->type() == QEvent::MouseMove) mine = dragged(*static_cast<QMouseEvent*>(event));
    if (event->type() == QEvent::MouseButtonRelease) mine = released(*static_cast<QMouseEvent*>(event));
  }
  if (watched == &owner_ && event->type() == QEvent::KeyPress) {
    const auto* key = static_cast<QKeyEvent*>(event);
    mine = key->key() == Qt::Key_Space && key->modifiers() == Qt::NoModifier && toggle_at_keys();
  }
  if (!mine) return QObject::eventFilter(watched, event);
  event->accept();
  return true;
}

void share_contexts(ChartBrush& brush, Selection& selection) {
  const auto show = [&brush, &selection] { brush.show(selection.chosen_contexts()); };
  QObject::connect(&brush, &ChartBrush::brushed, &selection, &Selection::choose_contexts);
  QObject::connect(&selection, &Selection::contextsChanged, &brush, show);
  show();
}

void share_requests(ChartBrush& brush, Selection& selection) {
  const auto show = [&brush, &selection] {
    std::set<QString> ids;
    for (const std::uint64_t request : selection.chosen_requests()) ids.insert(QString::number(request));
    brush.show(ids);
  };
  QObject::connect(&brush, &ChartBrush::brushed, &selection, [&selection](const std::set<QString>& ids) {
    std::set<std::uint64_t> requests;
    for (const QString& id : ids) requests.insert(id.toULongLong());
    selection.choose_requests(requests);
  });
  QObject::connect(&selection, &Selection::requestsChanged, &brush, show);
  show();
}

}  // namespace kvantage
