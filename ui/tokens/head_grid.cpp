#include "ui/tokens/head_grid.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "ui/charts/pinned_tip.h"
#include "ui/charts/screen_only.h"
#include "ui/look/pictured.h"
#include "ui/text/words.h"
#include "ui/tokens/token_map.h"
#include "ui/widgets/accessible_role.h"

namespace kvantage {
namespace {

constexpr double head_label_share = 0.85;  // of the font

}  // namespace

HeadGrid::HeadGrid(QWidget* parent) : QWidget(parent), theme_(theme_of(ThemeKind::light)) {
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
  setFocusPolicy(Qt::StrongFocus);
  setProperty(label_share_property, head_label_share);
  setAccessibleName(tr("Kept share by layer and KV head"));
  set_accessible_role(*this, QAccessible::Chart);
  setToolTip(
      tr("Kept share of the context's tokens per layer and KV head, in percent. Click a cell, a layer or a KV head to "
         "isolate it, the corner to show all. Arrow keys move; Home shows all."));
}

void HeadGrid::set_theme(const Theme& theme) {
  theme_ = theme;
  update();
}

void HeadGrid::set_shares(int layers, int kv_heads, std::vector<double> shares) {
  const bool other = layers != layers_ || kv_heads != kv_heads_;
  layers_ = layers;
  kv_heads_ = kv_heads;
  shares_ = std::move(shares);
  if (other) updateGeometry();
  update();
}

void HeadGrid::set_chosen(int layer, int kv_head) {
  if (layer == layer_ && kv_head == kv_head_) return;
  layer_ = layer;
  kv_head_ = kv_head;
  setAccessibleDescription(layer == all && kv_head == all ? tr("all layers and KV heads")
                                                          : tip_at(cell(layer, kv_head).center()));
  update();
}

int HeadGrid::head_width() const { return fontMetrics().horizontalAdvance(QStringLiteral("99")) + 8; }

int HeadGrid::column_width() const {
  const int with_text = fontMetrics().horizontalAdvance(QStringLiteral("100")) + 6;
  return kv_heads_ <= 4 ? with_text : kv_heads_ <= 16 ? 14 : 8;
}

QSize HeadGrid::sizeHint() const { return {head_width() + std::max(1, kv_heads_) * column_width() + 6, 160}; }

QRect HeadGrid::cell(int layer, int kv_head) const {
  const int top = fontMetrics().height() + 2;
  const int row = std::clamp((height() - top - 2) / std::max(1, layers_), 3, fontMetrics().height() + 6);
  const int left = head_width();
  return {kv_head == all ? 0 : left + kv_head * column_width(), layer == all ? 0 : top + layer * row,
          kv_head == all ? left : column_width(), layer == all ? top : row};
}

HeadGrid::Place HeadGrid::place_at(const QPoint& at) const {
  for (int layer = all; layer < layers_; ++layer)
    for (int kv_head = all; kv_head < kv_heads_; ++kv_head)
      if (cell(layer, kv_head).contains(at)) return {layer, kv_head, true};
  return {};
}

QString HeadGrid::tip_at(const QPoint& at) const {
  const Place place = place_at(at);
  if (!place.inside || layers_ == 0) return {};
  double sum = 0;
  int count = 0;
  for (int layer = 0; layer < layers_; ++layer)
    for (int kv_head = 0; kv_head < kv_heads_; ++kv_head)
      if ((place.layer == all || place.layer == layer) && (place.kv_head == all || place.kv_head == kv_head)) {
        sum += share(layer, kv_head);
        ++count;
      }
  const QString layer = place.layer == all ? tr("all layers") : tr("layer %1").arg(place.layer);
  const QString kv_head = place.kv_head == all ? tr("all KV heads") : tr("KV head %1").arg(place.kv_head);
  return (count > 1 ? tr("%1, %2: %3 of tokens kept (mean)") : tr("%1, %2: %3 of tokens kept"))
      .arg(layer, kv_head, percent_text(sum / count));
}

void HeadGrid::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), theme_.base);
  if (layers_ == 0) return;
  QFont small = font();
  small.setPointSizeF(small.pointSizeF() * head_label_share);
  painter.setFont(small);
  const int line = QFontMetrics(small).height();
  const auto marked = [this](int layer, int kv_head) {
    return (layer_ == all || layer_ == layer) && (kv_head_ == all || kv_head_ == kv_head);
  };
  const auto head = [&](const QRect& area, const QString& text, bool strong) {
    painter.setPen(strong ? theme_.text : theme_.muted);
    painter.drawText(area, Qt::AlignCenter, text);
  };
  head(cell(all, all), QStringLiteral("Σ"), layer_ == all && kv_head_ == all);
  const int every = std::max(
      1, (line + cell(0, 0).height() - 1) / std::max(1, cell(0, 0).height()));  // as many names as there is room for
  for (int layer = 0; layer < layers_; layer += every) {
    const QRect area = cell(layer, all);
    head(QRect(area.left(), area.center().y() - line / 2, area.width(), line), QString::number(layer), layer_ == layer);
  }
  const int step = std::max(
      1, (painter.fontMetrics().horizontalAdvance(QStringLiteral("99")) + column_width() - 1) / column_width());
  for (int kv_head = 0; kv_head < kv_heads_; kv_head += step) {
    const QRect area = cell(all, kv_head);
    head(area.adjusted(-8, 0, 8, 0), QString::number(kv_head), kv_head_ == kv_head);
  }
  for (int layer = 0; layer < layers_; ++layer)
    for (int kv_head = 0; kv_head < kv_heads_; ++kv_head) {
      const QRect area = cell(layer, kv_head).adjusted(0, 0, -1, -1);
      const double kept = share(layer, kv_head);
      painter.fillRect(area, theme_.base);
      painter.fillRect(area, TokenMap::ground(theme_, static_cast<float>(kept)));
      if (!marked(layer, kv_head)) {
        QColor veil = theme_.base;
        veil.setAlphaF(0.55f);
        painter.fillRect(area, veil);
      }
      if (kv_heads_ <= 4 && area.height() >= line) {
        painter.setPen(theme_.text);
        painter.drawText(area, Qt::AlignCenter, QString::number(std::lround(kept * 100)));
      }
    }
  const bool focused = shows_focus(*this);
  if (layer_ == all && kv_head_ == all && !focused) return;
  const QRect from = cell(std::max(layer_, 0), std::max(kv_head_, 0));
  const QRect to = cell(layer_ == all ? layers_ - 1 : layer_, kv_head_ == all ? kv_heads_ - 1 : kv_head_);
  painter.setPen(QPen(focused ? theme_.accent : theme_.text, 1));
  painter.drawRect(from.united(to).adjusted(0, 0, -1, -1));
}

void HeadGrid::choose(int layer, int kv_head) {
  if (layer == layer_ && kv_head == kv_head_) layer = kv_head = all;  // a second click: the sum of all heads
  set_chosen(layer, kv_head);
  emit chosen(layer, kv_head);
}

void HeadGrid::mousePressEvent(QMouseEvent* event) {
  const Place place = event->button() == Qt::LeftButton ? place_at(event->pos()) : Place{};
  if (place.inside)
    choose(place.layer, place.kv_head);
  else
    QWidget::mousePressEvent(event);
}

void HeadGrid::keyPressEvent(QKeyEvent* event) {
  int layer = layer_, kv_head = kv_head_;
  switch (event->key()) {
    case Qt::Key_Up:
      layer = std::max(layer - 1, int{all});
      break;
    case Qt::Key_Down:
      layer = std::min(layer + 1, layers_ - 1);
      break;
    case Qt::Key_Left:
      kv_head = std::max(kv_head - 1, int{all});
      break;
    case Qt::Key_Right:
      kv_head = std::min(kv_head + 1, kv_heads_ - 1);
      break;
    case Qt::Key_Home:
      layer = kv_head = all;
      break;
    default:
      return QWidget::keyPressEvent(event);
  }
  if (layer != layer_ || kv_head != kv_head_) choose(layer, kv_head);
}

bool HeadGrid::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const QString tip = tip_at(help->pos());
  PinnedTip::hover(*this, help->globalPos(), tip.isEmpty() ? toolTip() : tip);
  return true;
}

}  // namespace kvantage
