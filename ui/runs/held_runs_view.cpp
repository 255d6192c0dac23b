#include "ui/runs/held_runs_view.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <QStyledItemDelegate>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/widgets/empty_note.h"
#include "ui/widgets/fit_columns.h"
#include "ui/widgets/row_button.h"
#include "ui/widgets/row_table.h"

namespace kvantage {
namespace {

/// An eye, with a stroke through it when it is shut.
void draw_eye(QPainter& painter, const QRectF& in, const QColor& ink, bool open) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  const QPointF middle = in.center();
  const double half = std::min(in.width(), in.height()) * 0.32;
  const QPointF left = middle - QPointF(half, 0), right = middle + QPointF(half, 0);
  QPainterPath lids(left);
  lids.quadTo(middle - QPointF(0, 1.3 * half), right);
  lids.quadTo(middle + QPointF(0, 1.3 * half), left);
  painter.setPen(QPen(ink, 1.3));
  painter.setBrush(Qt::NoBrush);
  painter.drawPath(lids);
  if (open) {
    painter.setBrush(ink);
    painter.drawEllipse(middle, 0.28 * half, 0.28 * half);
  } else {
    painter.drawLine(middle + QPointF(-0.8 * half, 0.8 * half), middle + QPointF(0.8 * half, -0.8 * half));
  }
  painter.restore();
}

class HeldRunsDelegate : public QStyledItemDelegate {
 public:
  HeldRunsDelegate(const Theme& theme, QObject* parent) : QStyledItemDelegate(parent), theme_(theme) {}

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyledItemDelegate::paint(painter, option, index);
    const bool open = index.siblingAtColumn(HeldRunsModel::shown).data(Qt::CheckStateRole).toInt() == Qt::Checked;
    if (index.column() == HeldRunsModel::shown)
      draw_eye(*painter, option.rect, open ? theme_.text : theme_.faint, open);
    if (index.column() != HeldRunsModel::color) return;
    const int size = std::min(option.rect.width(), option.rect.height()) * 6 / 10;
    const QPixmap swatch = held_swatch(theme_, index.data(HeldRunsModel::color_role).toInt(), open, size,
                                       painter->device()->devicePixelRatioF());
    painter->drawPixmap(option.rect.center() - QPoint(size / 2, size / 2), swatch);
  }
  // The view itself toggles the eye: its whole cell is the switch.
  bool editorEvent(QEvent* /*event*/, QAbstractItemModel* /*model*/, const QStyleOptionViewItem& /*option*/,
                   const QModelIndex& /*index*/) override {
    return false;
  }

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    option->features &= ~QStyleOptionViewItem::HasCheckIndicator;
    if (!index.data(HeldRunsModel::ghost_role).toBool()) return;
    option->font.setItalic(true);
    option->palette.setColor(QPalette::Text, theme_.muted);
  }

 private:
  const Theme& theme_;
};

}  // namespace

QPixmap held_swatch(const Theme& theme, int color, bool shown, int size, qreal scale) {
  const QColor hue = theme.run(static_cast<std::size_t>(std::max(0, color)));
  QPixmap picture(QSize(std::max(1, size), std::max(1, size)) * scale);
  picture.setDevicePixelRatio(scale);
  picture.fill(Qt::transparent);
  QPainter painter(&picture);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(hue, 1.5));
  painter.setBrush(shown ? QBrush(hue) : QBrush(Qt::NoBrush));
  painter.drawEllipse(QRectF(1, 1, size - 2, size - 2));
  painter.end();  // before its picture is handed out
  return picture;
}

HeldRunsView::HeldRunsView(HeldRunsModel& model, QWidget* parent)
    : QWidget(parent), model_(model), theme_(theme_of(ThemeKind::light)), table_(new QTableView) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  table_->setModel(&model_);
  table_->setItemDelegate(new HeldRunsDelegate(theme_, table_));
  table_->setAccessibleName(tr("Pinned runs"));
  table_->setToolTip(
      tr("Runs on the Frontier beside the present one. Space shows or hides, F2 renames, Delete unpins."));
  show_as_rows(*table_);
  table_->setEditTriggers(QAbstractItemView::DoubleClicked);  // F2 edits the name whatever column is current
  table_->installEventFilter(this);
  column->addWidget(table_, 1);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 0, 8, 4);
  row->addStretch(1);
  pin_ = add_row_button(*row, tr("Pin"), tr("Pin the selected earlier run, so that it stays on the Frontier"));
  unpin_ = add_row_button(*row, tr("Unpin"), tr("Unpin the selected run from the Frontier (Delete)"));
  column->addLayout(row);
  new EmptyNote(*table_, [] {
    return tr("No runs are pinned. Pin runs in Runs; after Start, earlier runs of this window are here, too.");
  });
  connect(table_, &QTableView::clicked, this, [this](const QModelIndex& at) {
    if (at.column() == HeldRunsModel::shown) toggle(at.row());
  });
  connect(pin_, &QPushButton::clicked, this, [this] { model_.pin(chosen()); });
  connect(unpin_, &QPushButton::clicked, this, [this] { unpin(table_->currentIndex().row()); });
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &HeldRunsView::show_buttons);
  connect(&model_, &HeldRunsModel::heldChanged, this, &HeldRunsView::show_buttons);
  show_buttons();
}

QString HeldRunsView::chosen() const { return table_->currentIndex().data(HeldRunsModel::run_id_role).toString(); }

void HeldRunsView::show_buttons() {
  const QString id = chosen();
  const bool pinned = model_.is_pinned(id);
  pin_->setEnabled(!id.isEmpty() && !pinned && model_.can_pin());
  unpin_->setEnabled(pinned);
}

void HeldRunsView::toggle(int row) {
  const QModelIndex at = model_.index(row, HeldRunsModel::shown);
  const bool open = at.data(Qt::CheckStateRole).toInt() == Qt::Checked;
  model_.setData(at, open ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
}

void HeldRunsView::unpin(int row) {
  model_.unpin(model_.index(row, 0).data(HeldRunsModel::run_id_role).toString());
  if (const int last = model_.rowCount() - 1; last >= 0)
    table_->setCurrentIndex(model_.index(std::min(row, last), HeldRunsModel::name));
}

bool HeldRunsView::key_pressed(int key) {
  const int row = table_->currentIndex().row();
  if (row < 0) return false;
  switch (key) {
    case Qt::Key_Space:
      toggle(row);
      return true;
    case Qt::Key_Delete:
      if (model_.is_pinned(chosen())) unpin(row);
      return true;
    case Qt::Key_F2:
      table_->edit(model_.index(row, HeldRunsModel::name));
      return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (!chosen().isEmpty()) emit runRequested(chosen());
      return true;
    default:
      return false;
  }
}

bool HeldRunsView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == table_ && event->type() == QEvent::KeyPress) {
    const auto* pressed = static_cast<QKeyEvent*>(event);
    if (pressed->modifiers() == Qt::NoModifier || pressed->modifiers() == Qt::KeypadModifier)
      if (key_pressed(pressed->key())) return true;
  }
  return QWidget::eventFilter(watched, event);
}

void HeldRunsView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (std::exchange(fitted_, true)) return;
  fit_columns(*table_, {QString(), QString(), "evicpress · α 0.0500 · dram 12.0 MiB", "dram 12.0 MiB"});
}

void HeldRunsView::set_theme(const Theme& theme) {
  theme_ = theme;
  table_->viewport()->update();
}

}  // namespace kvantage
