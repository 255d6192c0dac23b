#include "ui/window/layout/layouts.h"

#include <QDataStream>
#include <QDockWidget>
#include <QIODevice>
#include <QTabWidget>
#include <QToolBar>
#include <QUrl>

#include "ui/files/settings_seal.h"
#include "ui/live/dock_registry.h"
#include "ui/window/layout/layout_file.h"

namespace kvantage {
namespace {
constexpr int state_version = 1;  // raise when docks are renamed: older states are then not restored
const QByteArray with_views = QByteArrayLiteral("kvantage docks and views 1\n");  // a state without it is Qt's alone
}  // namespace

Layouts::Layouts(QMainWindow& window, std::map<QString, QDockWidget*> docks, QSettings& settings)
    : window_(window), docks_(std::move(docks)), settings_(settings) {}

QStringList Layouts::built_in() {
  return {QStringLiteral("Overview"), QStringLiteral("Trade-offs"), QStringLiteral("Serving"),
          QStringLiteral("Frontier only")};
}

QString Layouts::title(const QString& name) {
  static const char* const titles[] = {QT_TR_NOOP("Overview"), QT_TR_NOOP("Trade-offs"), QT_TR_NOOP("Serving"),
                                       QT_TR_NOOP("Frontier only")};
  const qsizetype at = built_in().indexOf(name);
  return at < 0 ? name : tr(titles[at]);
}

// A slash in a name would make a group of it.
QString Layouts::key(const QString& name) const {
  return QStringLiteral("layouts/") + QString::fromLatin1(QUrl::toPercentEncoding(name, " "));
}

QStringList Layouts::saved() const {
  settings_.beginGroup("layouts");
  QStringList names = settings_.childKeys();
  settings_.endGroup();
  for (QString& name : names) name = QUrl::fromPercentEncoding(name.toLatin1());
  return names;
}

void Layouts::save(const QString& name) { settings_.setValue(key(name), sealed(state())); }
void Layouts::remove(const QString& name) { settings_.remove(key(name)); }

void Layouts::keep_hidden_series(std::function<QStringList()> hidden, std::function<void(const QStringList&)> hide) {
  hidden_ = std::move(hidden);
  hide_ = std::move(hide);
}

QList<std::pair<QString, QTabWidget*>> Layouts::page_holders() const {
  QList<std::pair<QString, QTabWidget*>> holders;
  for (const auto& [id, dock] : docks_) {
    const QList<QTabWidget*> tabs = dock->findChildren<QTabWidget*>();
    for (qsizetype i = 0; i < tabs.size(); ++i) holders.append({QStringLiteral("%1 %2").arg(id).arg(i), tabs[i]});
  }
  return holders;
}

QByteArray Layouts::state() const {
  QMap<QString, QString> pages;
  for (const auto& [key, tabs] : page_holders()) pages[key] = tabs->tabText(tabs->currentIndex());
  QByteArray state = with_views;
  QDataStream out(&state, QIODevice::Append);
  out.setVersion(QDataStream::Qt_6_0);
  out << window_.saveState(state_version) << pages << (hidden_ ? hidden_() : QStringList());
  return state;
}

Layouts::Parts Layouts::parts_of(const QByteArray& state) {
  if (!state.startsWith(with_views)) return {state, {}, {}};
  Parts parts;
  QStringList hidden;
  QDataStream in(state.sliced(with_views.size()));
  in.setVersion(QDataStream::Qt_6_0);
  in >> parts.docks >> parts.pages >> hidden;
  if (in.status() != QDataStream::Ok || !in.atEnd()) return {};
  parts.hidden = hidden;
  return parts;
}

void Layouts::remember(const QByteArray& before) {
  before_ = before;
  if (changed_) changed_();
}

void Layouts::begin_with(const QString& built_in_name) {
  if (before_change_) before_change_();
  arrange(built_in_name);
}

bool Layouts::apply(const QString& name) {
  if (before_change_) before_change_();
  const QByteArray before = state();
  if (built_in().contains(name))
    arrange(name);
  else if (!restore(unsealed(settings_.value(key(name)).toByteArray()).value_or(QByteArray())))
    return false;
  remember(before);
  return true;
}

bool Layouts::go_back() {
  if (before_change_) before_change_();
  const QByteArray now = state();
  if (!can_go_back() || !restore(before_)) return false;
  remember(now);
  return true;
}

bool Layouts::restore(const QByteArray& state) {
  const Parts parts = parts_of(state);
  if (parts.docks.isEmpty()) return false;
  const QByteArray before = window_.saveState(state_version);
  for (auto& [id, widget] : docks_) window_.removeDockWidget(widget);  // what it does not name has no place afterwards
  const bool restored = window_.restoreState(parts.docks, state_version);
  if (!restored) window_.restoreState(before, state_version);
  // An arrangement of before there was a bar does not name it.
  for (QToolBar* bar : window_.findChildren<QToolBar*>(QString(), Qt::FindDirectChildrenOnly))
    if (window_.toolBarArea(bar) == Qt::NoToolBarArea) {
      window_.addToolBar(bar->orientation() == Qt::Vertical ? Qt::LeftToolBarArea : Qt::TopToolBarArea, bar);
      bar->show();
    }
  for (const DockEntry& entry : dock_registry()) {
    QDockWidget* widget = docks_.at(entry.id);
    if (widget->isFloating() || window_.dockWidgetArea(widget) != Qt::NoDockWidgetArea) continue;
    place(widget, entry.area);
    widget->hide();  // the user made that layout without it
  }
  if (!restored) return false;
  for (const auto& [key, tabs] : page_holders())
    for (int page = 0; page < tabs->count(); ++page)
      if (const auto open = parts.pages.find(key); open != parts.pages.end() && tabs->tabText(page) == *open)
        tabs->setCurrentIndex(page);
  if (parts.hidden && hide_) hide_(*parts.hidden);
  return true;
}

void Layouts::place(QDockWidget* widget, Qt::DockWidgetArea area) {
  for (const DockEntry& entry : dock_registry()) {
    QDockWidget* there = docks_.at(entry.id);
    if (there == widget || there->isFloating() || window_.dockWidgetArea(there) != area) continue;
    window_.tabifyDockWidget(there, widget);
    return;
  }
  window_.addDockWidget(area, widget);
}

void Layouts::save_last() {
  settings_.setValue("window/geometry", sealed(window_.window()->saveGeometry()));
  settings_.setValue("window/state", sealed(state()));
}

Layouts::Restored Layouts::restore_last() {
  if (const auto geometry = unsealed(settings_.value("window/geometry").toByteArray()))
    window_.window()->restoreGeometry(*geometry);
  const QVariant state = settings_.value("window/state");
  if (!state.isValid()) return Restored::nothing_kept;
  return restore(unsealed(state.toByteArray()).value_or(QByteArray())) ? Restored::yes : Restored::not_possible;
}

Status Layouts::export_to(const QString& path, const QString& name) const {
  QStringList ids;
  for (const auto& [id, dock] : docks_) ids << id;
  return write_layout({name, ids, state()}, path);
}

Expected<QString> Layouts::import_from(const QString& path) {
  KV_ASSIGN(const auto layout, read_layout(path));
  if (before_change_) before_change_();
  const QByteArray before = state();
  if (!restore(layout.state))
    return fail(ErrorCode::rejected_input,
                (tr("%1: this window cannot restore the layout; export it again").arg(path)).toStdString());
  QString name = layout.name;
  const QStringList taken = saved() + built_in();
  for (int number = 2; taken.contains(name); ++number) name = QStringLiteral("%1 %2").arg(layout.name).arg(number);
  save(name);
  remember(before);
  return name;
}

void Layouts::place_others(const QList<QDockWidget*>& known, bool shown) {
  for (const DockEntry& entry : dock_registry()) {
    QDockWidget* widget = docks_.at(entry.id);
    if (known.contains(widget)) continue;
    place(widget, entry.area);
    widget->setVisible(shown && entry.at_first);
  }
}

// Whether the three columns have room beside each other at their least widths, and three views above each other.
bool Layouts::fits_beside(const QDockWidget* left, const QList<QDockWidget*>& right,
                          const QList<QDockWidget*>& below) const {
  constexpr int least_center = 420, least_view = 200;
  const auto widest = [](const QList<QDockWidget*>& docks) {
    int width = 0;
    for (const QDockWidget* dock : docks) width = std::max(width, dock->minimumSizeHint().width());
    return width;
  };
  return window_.height() >= least_view * right.size() &&
         window_.width() >= left->minimumSizeHint().width() + widest(right) + std::max(least_center, widest(below));
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
  const bool only_frontier = name == "Frontier only", serving = name == "Serving", trade = name == "Trade-offs";
  for (auto& [id, widget] : docks_) widget->setVisible(!only_frontier);
  const QList<QDockWidget*> known = {controls, sensitivity, contexts, tiers, hits, requests, events};
  const int height = window_.height(), width = window_.width();
  controls->show();
  // The right column reaches down to the window's edge, so that all three views are in sight.
  const bool rows = !only_frontier && fits_beside(controls, {tiers, hits, sensitivity}, {requests, contexts, events});
  window_.setCorner(Qt::BottomRightCorner, rows ? Qt::RightDockWidgetArea : Qt::BottomDockWidgetArea);
  if (rows) {
    window_.splitDockWidget(tiers, sensitivity, Qt::Vertical);
    window_.splitDockWidget(tiers, hits, Qt::Vertical);
  } else {
    window_.tabifyDockWidget(tiers, hits);
    window_.tabifyDockWidget(hits, sensitivity);
  }
  place_others(known, !only_frontier);
  if (only_frontier) {
    window_.resizeDocks({controls}, {300}, Qt::Horizontal);
    return;
  }
  if (!rows) (trade ? sensitivity : serving ? hits : tiers)->raise();
  (trade ? contexts : requests)->raise();
  const int side = std::max(width >= 1500 ? 460 : 390, width * 27 / 100);
  window_.resizeDocks({controls, tiers}, {width >= 1500 ? 330 : 290, side}, Qt::Horizontal);
  const int below = serving ? height * 40 / 100 : height * (height >= 900 ? 28 : 31) / 100;
  window_.resizeDocks({requests}, {below}, Qt::Vertical);
  if (rows)
    window_.resizeDocks({tiers, hits, sensitivity}, {height * 29 / 100, height * 28 / 100, height * 43 / 100},
                        Qt::Vertical);
}

}  // namespace kvantage
