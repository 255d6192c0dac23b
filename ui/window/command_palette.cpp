#include "ui/window/command_palette.h"

#include <QKeyEvent>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include "ui/widgets/plain_label.h"
#include "ui/window/palette_entries.h"

namespace kvantage {

// Name, then its place in a fainter ink, the shortcut at the right.
class CommandPalette::RowPainter : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  Theme theme = theme_of(ThemeKind::light);

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override {
    return {200, option.fontMetrics.height() + 10};
  }
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    painter->save();
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    const bool enabled = index.data(PaletteModel::enabled_role).toBool();
    if (selected) painter->fillRect(option.rect, theme.accent);
    const QRect row = option.rect.adjusted(10, 0, -10, 0);
    const QString shortcut = index.data(PaletteModel::shortcut_role).toString();
    const int right = shortcut.isEmpty() ? 0 : option.fontMetrics.horizontalAdvance(shortcut) + 16;
    const QColor strong = selected ? theme.accent_text : enabled ? theme.text : theme.faint;
    const QColor weak = selected ? theme.accent_text : enabled ? theme.muted : theme.faint;
    QString title = index.data().toString();
    if (index.data(PaletteModel::checked_role).toBool()) title += QStringLiteral("  ✓");
    const QString shown = option.fontMetrics.elidedText(title, Qt::ElideRight, row.width() - right);
    painter->setPen(strong);
    painter->drawText(row, Qt::AlignVCenter | Qt::AlignLeft, shown);
    const int used = option.fontMetrics.horizontalAdvance(shown) + 14;
    painter->setPen(weak);
    const QRect place = row.adjusted(used, 0, -right, 0);
    if (place.width() > 30)
      painter->drawText(place, Qt::AlignVCenter | Qt::AlignLeft,
                        option.fontMetrics.elidedText(index.data(PaletteModel::place_role).toString(), Qt::ElideRight,
                                                      place.width()));
    painter->drawText(row, Qt::AlignVCenter | Qt::AlignRight, shortcut);
    painter->restore();
  }
};

CommandPalette::CommandPalette(QMainWindow& window)
    : QDialog(&window, Qt::Dialog | Qt::FramelessWindowHint),
      window_(window),
      line_(new QLineEdit),
      list_(new QListView),
      tip_(plain_label()),
      painter_(new RowPainter(this)) {
  setObjectName("commandPalette");
  setWindowTitle(tr("Commands"));
  setModal(true);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(8, 8, 8, 8);
  line_->setPlaceholderText(tr("Type a few letters of a command or control"));
  line_->setAccessibleName(tr("Find a command"));
  line_->setToolTip(tr("Search commands and controls. Arrow keys select, Enter runs, Esc closes."));
  line_->setClearButtonEnabled(true);
  list_->setModel(&model_);
  list_->setItemDelegate(painter_);
  list_->setUniformItemSizes(true);
  list_->setFocusPolicy(Qt::NoFocus);  // the line keeps the keyboard
  list_->setAccessibleName(tr("Matching commands"));
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  tip_->setProperty("muted", true);
  tip_->setWordWrap(true);
  column->addWidget(line_);
  column->addWidget(list_, 1);
  column->addWidget(tip_);
  line_->installEventFilter(this);
  connect(line_, &QLineEdit::textChanged, this, [this](const QString& text) {
    model_.set_query(text);
    list_->setCurrentIndex(model_.index(0));
    show_tip();
  });
  connect(list_->selectionModel(), &QItemSelectionModel::currentChanged, this, [this] { show_tip(); });
  connect(list_, &QListView::clicked, this, [this] { run_current(); });
}

void CommandPalette::open_fresh() {
  model_.set_entries(palette_entries(window_));
  line_->clear();
  model_.set_query({});
  list_->setCurrentIndex(model_.index(0));
  show_tip();
  const QSize room = window_.size();
  resize(qBound(360, room.width() * 6 / 10, 760), qBound(240, room.height() * 6 / 10, 560));
  move(window_.mapToGlobal(QPoint((room.width() - width()) / 2, qMin(80, room.height() / 8))));
  open();
  line_->setFocus();
}

void CommandPalette::set_theme(const Theme& theme) {
  painter_->theme = theme;
  setStyleSheet(QStringLiteral("QDialog#commandPalette { background: %1; border: 1px solid %2; }")
                    .arg(theme.panel.name(), theme.faint.name()));
  list_->viewport()->update();
}

void CommandPalette::show_tip() {
  const QModelIndex at = list_->currentIndex();
  if (!at.isValid()) {
    tip_->setText(tr("No matching command."));
    return;
  }
  const bool enabled = at.data(PaletteModel::enabled_role).toBool();
  const QString tip = at.data(PaletteModel::tip_role).toString();
  tip_->setText(enabled ? tip : tip + (tip.isEmpty() ? "" : "\n") + tr("Not available now."));
}

void CommandPalette::run_current() {
  const QModelIndex at = list_->currentIndex();
  if (!at.isValid() || !model_.entry(at.row()).enabled) return;
  const auto run = model_.entry(at.row()).run;  // a copy: the action may open the palette again
  accept();
  run();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (watched == line_ && event->type() == QEvent::KeyPress) {
    auto* key = static_cast<QKeyEvent*>(event);
    switch (key->key()) {
      case Qt::Key_Up:
      case Qt::Key_Down:
      case Qt::Key_PageUp:
      case Qt::Key_PageDown: {
        const int rows = model_.rowCount(), page = qMax(1, list_->height() / qMax(1, list_->sizeHintForRow(0)) - 1);
        const int step = key->key() == Qt::Key_Up       ? -1
                         : key->key() == Qt::Key_Down   ? 1
                         : key->key() == Qt::Key_PageUp ? -page
                                                        : page;
        if (rows > 0) list_->setCurrentIndex(model_.index(qBound(0, list_->currentIndex().row() + step, rows - 1)));
        return true;
      }
      case Qt::Key_Return:
      case Qt::Key_Enter:
        run_current();
        return true;
      default:
        break;
    }
  }
  return QDialog::eventFilter(watched, event);
}

}  // namespace kvantage
