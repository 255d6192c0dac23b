#include "ui/runs/run_delegate.h"

#include <QApplication>
#include <QPainter>
#include <QStyle>
#include <algorithm>

#include "ui/look/icons.h"
#include "ui/runs/held_runs_view.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr int chip_margin = 6, chip_gap = 4;

/// As many as fit, then dots.
void draw_chips(QPainter& painter, const QStyleOptionViewItem& option, const QStringList& tags, const Theme& theme) {
  painter.save();
  painter.setClipRect(option.rect);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(option.font);
  const QFontMetrics metrics(option.font);
  const int height = std::min(metrics.height() + 2, option.rect.height() - 2);
  const int top = option.rect.center().y() - height / 2;
  int left = option.rect.left() + chip_gap;
  for (const QString& tag : tags) {
    const int width = metrics.horizontalAdvance(tag) + 2 * chip_margin;
    if (left > option.rect.left() + chip_gap && left + width > option.rect.right()) {
      painter.setPen(theme.muted);
      painter.drawText(QRect(left, top, option.rect.right() - left, height), Qt::AlignLeft | Qt::AlignVCenter,
                       QStringLiteral("…"));
      break;
    }
    const QRect chip(left, top, width, height);
    painter.setPen(QPen(theme.border, 1));
    painter.setBrush(theme.alternate);
    painter.drawRoundedRect(QRectF(chip).adjusted(0.5, 0.5, -0.5, -0.5), 0.4 * height, 0.4 * height);
    painter.setPen(theme.text);
    painter.drawText(chip, Qt::AlignCenter, tag);
    left += width + chip_gap;
  }
  painter.restore();
}

}  // namespace

void RunDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const QStringList tags = index.column() == RunsModel::tags
                               ? index.data().toString().split(QStringLiteral(", "), Qt::SkipEmptyParts)
                               : QStringList();
  if (tags.isEmpty()) return QStyledItemDelegate::paint(painter, option, index);
  QStyleOptionViewItem ground(option);
  initStyleOption(&ground, index);
  ground.text.clear();
  const QStyle* style = ground.widget != nullptr ? ground.widget->style() : QApplication::style();
  style->drawControl(QStyle::CE_ItemViewItem, &ground, painter, ground.widget);
  draw_chips(*painter, ground, tags, theme_);
}

void RunDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
  QStyledItemDelegate::initStyleOption(option, index);
  if (index.column() == RunsModel::started && held_ != nullptr) {
    const QString id = index.data(RunsModel::run_id_role).toString();
    const auto run = std::ranges::find(held_->held(), id, &HeldRun::id);
    if (run == held_->held().end() || run->ghost) return;
    const int size = QFontMetrics(option->font).height() * 3 / 4;
    const qreal scale = option->widget != nullptr ? option->widget->devicePixelRatioF() : 1;
    option->features |= QStyleOptionViewItem::HasDecoration;
    option->decorationSize = QSize(size, size);
    option->icon = kept_icon(QStringLiteral("held %1 %2 %3 %4")
                                 .arg(theme_.run(static_cast<std::size_t>(std::max(0, run->color))).name())
                                 .arg(run->shown ? 1 : 0)
                                 .arg(size)
                                 .arg(scale),
                             [&] { return QIcon(held_swatch(theme_, run->color, run->shown, size, scale)); });
    return;
  }
  if (index.column() != RunsModel::state) return;
  const RunsModel::Row* row = model_.row(model_.row_of(index.data(RunsModel::run_id_role).toString()));
  if (!row || row->ended()) return;
  const bool present = to_q(row->run.summary.run_id) == model_.present_run();
  option->palette.setColor(QPalette::Text, present                 ? theme_.good
                                           : row->being_recorded() ? theme_.accent
                                                                   : theme_.warning);
}

}  // namespace kvantage
