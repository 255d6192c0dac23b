#include "ui/whole_page.h"

#include <QDockWidget>

namespace kvantage {

WholePage::WholePage(QMainWindow& window, QStackedWidget& pages, QWidget& page, WindowDocks& docks,
                     LayoutKeeper& keeper)
    : QObject(&window), window_(window), pages_(pages), page_(page), docks_(docks), keeper_(keeper) {
  connect(&docks_, &WindowDocks::aboutToShow, this, &WholePage::leave);
}

void WholePage::enter() {
  if (shown_) return;
  shown_ = true;
  keeper_.keep();
  keeper_.suspend(true);  // the arrangement is that of the docks, which are there again at the next start
  state_before_ = window_.saveState();
  for (const auto& [id, dock] : docks_.all())
    if (!dock->isFloating()) dock->hide();  // one on another screen is in nobody's way
  pages_.setCurrentWidget(&page_);
  page_.setFocus();
  emit changed(true);
}

void WholePage::leave() {
  if (!shown_) return;
  shown_ = false;
  window_.restoreState(state_before_);
  keeper_.suspend(false);
  emit changed(false);
}

}  // namespace kvantage
