#include "ui/window/window_modes.h"

#include <QApplication>
#include <QDockWidget>
#include <QToolButton>

#include "ui/look/font_scale.h"
#include "ui/look/icons.h"
#include "ui/window/palette_entries.h"

namespace kvantage {
namespace {

constexpr int most_percent_of_titles = 130;
constexpr double share_of_titles = 0.85;  // of the text's size

}  // namespace

WindowModes::WindowModes(QMainWindow& window, QStackedWidget& pages, WindowDocks& docks, LayoutKeeper& keeper,
                         const DockContext& context)
    : QObject(&window),
      window_(window),
      pages_(pages),
      docks_(docks),
      keeper_(keeper),
      bar_(new QToolBar(tr("Modes"))) {
  bar_->setObjectName(QStringLiteral("modeBar"));
  bar_->setAccessibleName(tr("Modes"));
  bar_->setMovable(false);
  bar_->setContextMenuPolicy(Qt::PreventContextMenu);  // it cannot be hidden: nothing would lead back
  bar_->toggleViewAction()->setVisible(false);
  bar_->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
  window_.addToolBar(Qt::LeftToolBarArea, bar_);
  for (const ModeEntry& entry : mode_registry()) {
    if (entry.make != nullptr) {
      QWidget* page = pages_by_id_[entry.id] = entry.make(context);
      page->setObjectName(entry.id + QStringLiteral("Mode"));
      page->setAccessibleName(entry.title);
      page->setAutoFillBackground(true);
      pages_.addWidget(page);
    }
    add(entry);
  }
  connect(&docks_, &WindowDocks::aboutToShow, this, &WindowModes::leave);
}

void WindowModes::add(const ModeEntry& entry) {
  auto* action = actions_[entry.id] = new QAction(entry.title, &window_);
  action->setCheckable(true);
  action->setShortcut(QKeySequence(entry.shortcut));
  action->setStatusTip(entry.tip);
  action->setToolTip(QStringLiteral("%1 (%2)").arg(entry.tip, action->shortcut().toString(QKeySequence::NativeText)));
  action->setChecked(entry.id == current_);
  connect(action, &QAction::triggered, this, [this, id = entry.id] {
    actions_.at(id)->setChecked(true);  // choosing the mode that is there leaves it there
    enter(id);
  });
  window_.addAction(action);  // its key works while the bars are hidden, too
  bar_->addAction(action);
  if (auto* button = qobject_cast<QToolButton*>(bar_->widgetForAction(action))) {
    button->setFocusPolicy(Qt::TabFocus);
    button->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    if (QWidget* own = page(entry.id)) set_opener(*own, *button);
  }
}

QWidget* WindowModes::page(const QString& id) const {
  const auto found = pages_by_id_.find(id);
  return found != pages_by_id_.end() ? found->second : nullptr;
}

void WindowModes::hide_docks() {
  keeper_.keep();
  keeper_.suspend(true);  // the arrangement is that of the docks, which are there again at the next start
  state_before_ = window_.saveState();
  for (const auto& [id, dock] : docks_.all())
    if (!dock->isFloating()) dock->hide();  // one on another screen is in nobody's way
}

void WindowModes::enter(const QString& id) {
  if (!has(id) || id == current_) return;
  const bool from_live = is_live();
  actions_.at(current_)->setChecked(false);
  actions_.at(id)->setChecked(true);
  current_ = id;
  if (is_live()) {
    window_.restoreState(state_before_);
    keeper_.suspend(false);
  } else {
    if (from_live) hide_docks();
    if (QWidget* shown = page(id)) {
      pages_.setCurrentWidget(shown);
      shown->setFocus();
    }
  }
  emit changed(id);
}

void WindowModes::set_theme(const Theme& theme) {
  // Large text leaves no room for titles beside the docks.
  const bool titled = font_percent() <= most_percent_of_titles;
  const int side = titled ? 20 * font_percent() / 100 : 24;
  bar_->setIconSize({side, side});
  bar_->setToolButtonStyle(titled ? Qt::ToolButtonTextUnderIcon : Qt::ToolButtonIconOnly);
  QFont small = QApplication::font();
  small.setPointSizeF(small.pointSizeF() * share_of_titles);
  for (const auto& [id, action] : actions_)
    if (QWidget* button = bar_->widgetForAction(action)) button->setFont(small);
  for (const ModeEntry& entry : mode_registry()) actions_.at(entry.id)->setIcon(icon(entry.icon, theme));
  for (const auto& [id, page] : pages_by_id_)
    if (auto* view = dynamic_cast<Themed*>(page)) view->set_theme(theme);
}

}  // namespace kvantage
