#include "ui/welcome/recent_files.h"

#include <QDir>
#include <QFileInfo>

namespace kvantage {
namespace {
const QString key = QStringLiteral("files/recent");
}

QStringList RecentFiles::paths() const { return settings_.value(key).toStringList().mid(0, limit); }

void RecentFiles::add(const QString& path) {
  const QString whole = QDir::cleanPath(QFileInfo(path).absoluteFilePath());
  QStringList all = paths();
  all.removeAll(whole);
  all.prepend(whole);
  settings_.setValue(key, QStringList(all.mid(0, limit)));
}

void RecentFiles::remove(const QString& path) {
  QStringList all = paths();
  all.removeAll(path);
  settings_.setValue(key, all);
}

void RecentFiles::clear() { settings_.remove(key); }

QMenu* make_recent_menu(RecentFiles& recent, const std::function<void(const QString& path)>& open, QWidget* parent) {
  auto* menu = new QMenu(RecentFiles::tr("Open &recent"), parent);
  menu->setToolTipsVisible(true);
  QObject::connect(menu, &QMenu::aboutToShow, menu, [menu, &recent, open] {
    menu->clear();
    const QStringList paths = recent.paths();
    for (const QString& path : paths) {
      const QFileInfo info(path);
      // The folder distinguishes what has the same name.
      QString text = QStringLiteral("%1   (%2)").arg(info.fileName(), QFileInfo(info.absolutePath()).fileName());
      QAction* action = menu->addAction(text.replace('&', QStringLiteral("&&")), menu, [open, path] { open(path); });
      action->setToolTip(path);
      action->setStatusTip(path);
    }
    if (paths.isEmpty()) {
      menu->addAction(RecentFiles::tr("No recent files"))->setEnabled(false);
      return;
    }
    menu->addSeparator();
    menu->addAction(RecentFiles::tr("&Clear recent files"), menu, [&recent] { recent.clear(); })
        ->setStatusTip(RecentFiles::tr("Clear this list; the files are kept"));
  });
  return menu;
}

}  // namespace kvantage
