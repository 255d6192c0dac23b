#include "ui/layouts.h"

#include <QDockWidget>

namespace kvantage {
namespace {
constexpr int state_version = 1;  // raise when docks are renamed: older states are then not restored
}

Layouts::Layouts(QMainWindow& window, std::map<QString, QDockWidget*> docks, QSettings& settings)
    : window_(window), docks_(std::move(docks)), settings_(settings) {}

QStringList Layouts::built_in() {
  return {QStringLiteral("Overview"), QStringLiteral("Trade-offs"), QStringLiteral("Serving"),
          QStringLiteral("Frontier only")};
}

QStringList Layouts::saved() const {
  settings_.beginGroup("layouts");
  const QStringList names = settings_.childKeys();
  settings_.endGroup();
  return names;
}

void Layouts::save(const QString& name) {
  settings_.setValue("layouts/" + name, window_.saveState(state_version));
}
void Layouts::remove(const QString& name) {
  settings_.remove("layouts/" + name);
}

bool Layouts::apply(const QString& name) {
  if (built_in().contains(name)) {
    arrange(name);
    return true;
  }
  const QByteArray state = settings_.value("layouts/" + name).toByteArray();
  return !state.isEmpty() && window_.restoreState(state, state_version);
}

void Layouts::save_last() {
  settings_.setValue("window/geometry", window_.saveGeometry());
  settings_.setValue("window/state", window_.saveState(state_version));
}

bool Layouts::restore_last() {
  const QByteArray geometry = settings_.value("window/geometry").toByteArray();
  if (!geometry.isEmpty()) window_.restoreGeometry(geometry);
  const QByteArray state = settings_.value("window/state").toByteArray();
  return !state.isEmpty() && window_.restoreState(state, state_version);
}

void Layouts::arrange(const QString& name) {
  const auto dock = [this](const char* id) { return docks_.at(QString::fromLatin1(id)); };
  for (auto& [id, widget] : docks_) {
    widget->setFloating(false);
    window_.removeDockWidget(widget);
  }
  QDockWidget *controls = dock("controls"), *sensitivity = dock("sensitivity"), *contexts = dock("contexts"),
              *tiers = dock("tiers"), *hits = dock("hitRates"), *requests = dock("requests"), *events = dock("events");
  window_.addDockWidget(Qt::LeftDockWidgetArea, controls);
  // Tabs at once, never side by side in between: the window would grow to hold them all.
  window_.addDockWidget(Qt::RightDockWidgetArea, tiers);
  window_.addDockWidget(Qt::BottomDockWidgetArea, requests);
  window_.tabifyDockWidget(requests, contexts);
  window_.tabifyDockWidget(contexts, events);
  const int height = window_.height(), width = window_.width();
  const bool tall = height >= 900;
  const bool only_frontier = name == "Frontier only", serving = name == "Serving", trade = name == "Trade-offs";
  for (auto& [id, widget] : docks_) widget->setVisible(!only_frontier);
  controls->show();
  if (only_frontier) {
    window_.resizeDocks({controls}, {300}, Qt::Horizontal);
    return;
  }
  if (tall) {
    // Two rows on the right: what memory holds above, what it does below.
    window_.splitDockWidget(tiers, sensitivity, Qt::Vertical);  // before the tabs: a split of a tab is another tab
    window_.tabifyDockWidget(tiers, hits);
  } else {
    window_.tabifyDockWidget(tiers, hits);
    window_.tabifyDockWidget(hits, sensitivity);
  }
  (trade && !tall ? sensitivity : serving ? hits : tiers)->raise();
  (trade ? contexts : requests)->raise();
  const int side = width >= 1500 ? 460 : 370;
  window_.resizeDocks({controls, tiers}, {width >= 1500 ? 330 : 290, side}, Qt::Horizontal);
  const int below = serving ? height * 40 / 100 : height * (tall ? 28 : 31) / 100;
  window_.resizeDocks({requests}, {below}, Qt::Vertical);
  if (tall) window_.resizeDocks({tiers, sensitivity}, {(height - below) / 2, (height - below) / 2}, Qt::Vertical);
}

}  // namespace kvantage
