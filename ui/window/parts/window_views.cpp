#include "ui/window/parts/window_views.h"

#include <QAbstractButton>
#include <set>

#include "ui/window/palette_entries.h"

namespace kvantage {
namespace {

/// A layout saves and restores which policies the Frontier hides.
void keep_hidden_policies(Layouts& layouts, FrontierModel& frontier) {
  layouts.keep_hidden_series(
      [&frontier] {
        const std::set<QString>& hidden = frontier.hidden_policies();
        return QStringList(hidden.begin(), hidden.end());
      },
      [&frontier](const QStringList& hidden) {
        for (const QString& policy : std::set<QString>(frontier.hidden_policies()))
          if (!hidden.contains(policy)) frontier.set_hidden(policy, false);
        for (const QString& policy : hidden) frontier.set_hidden(policy, true);
      });
}

}  // namespace

WindowViews::WindowViews(QMainWindow& window, WindowPages& pages, const DockContext& context, QSettings& kept)
    : QObject(&window), docks_(new WindowDocks(window, context)), layouts_(window, docks_->all(), kept) {
  keep_hidden_policies(layouts_, context.run.frontier);
  layouts_.begin_with(Layouts::built_in().front());  // again at the first frame, when sizes are known
  keeper_ = new LayoutKeeper(window, *docks_, layouts_, kept);
  connect(&context.run.frontier, &FrontierModel::hiddenChanged, keeper_, &LayoutKeeper::changed);
  modes_ = new WindowModes(window, pages.stack(), *docks_, *keeper_, context);
  modes_->set_page(QLatin1String(start_mode), &pages.start());
  const auto opens = [this](const char* mode, QWidget& page) {
    if (auto* button =
            qobject_cast<QAbstractButton*>(modes_->bar().widgetForAction(modes_->action(QLatin1String(mode)))))
      set_opener(page, *button);
  };
  opens(start_mode, pages.start());
  opens(live_mode, pages.frontier());
  layouts_.before_change([this] { modes_->leave(); });
}

WindowViews::~WindowViews() { delete docks_; }

void WindowViews::show(const QString& id) {
  if (modes_->has(id))
    modes_->enter(id);
  else
    docks_->bring_up(id);
}

Layouts::Restored WindowViews::restore_last() {
  const Layouts::Restored restored = layouts_.restore_last();
  arranged_ = restored == Layouts::Restored::yes;
  docks_->dock(QStringLiteral("replay"))->hide();
  return restored;
}

Expected<QString> WindowViews::import_layout(const QString& path) {
  KV_ASSIGN(auto name, layouts_.import_from(path));
  arranged_ = true;         // also where it came before the first frame: that one arranges nothing over it
  keep_first_ = !keeping_;  // nothing is kept until then
  return name;
}

// Not behind a mode, which hides the docks: they are arranged as soon as Live is there.
void WindowViews::frame() {
  if (!modes_->is_live()) return;
  if (!arranged_) {
    arranged_ = true;
    layouts_.begin_with(Layouts::built_in().front());
  }
  if (keeping_) return;
  keeping_ = true;
  keeper_->suspend(false);
  if (keep_first_) keeper_->keep();
}

}  // namespace kvantage
