#include "ui/look/icons.h"

#include <QCoreApplication>
#include <QFile>
#include <QHash>
#include <QPainter>
#include <QPixmap>
#include <QSvgRenderer>

// Resources of a static library must be initialized by name, outside of any namespace.
static void load_resources() { Q_INIT_RESOURCE(ui); }

namespace kvantage {
namespace {

QByteArray drawing(const QString& name) {
  load_resources();
  QFile file(QStringLiteral(":/kvantage/icons/%1.svg").arg(name));
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QPixmap paint(QByteArray svg, const QColor& ink, int size) {
  svg.replace("currentColor", ink.name().toLatin1());
  QSvgRenderer renderer(svg);
  QPixmap pixmap(size, size);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  renderer.render(&painter);
  return pixmap;
}

QHash<QString, QIcon>& kept_icons() {
  static QHash<QString, QIcon> icons;
  return icons;
}

// Pictures must not outlive the application.
void forget_kept_icons() { kept_icons().clear(); }

}  // namespace

QIcon kept_icon(const QString& key, const std::function<QIcon()>& make) {
  QHash<QString, QIcon>& icons = kept_icons();
  if (const auto known = icons.constFind(key); known != icons.cend()) return *known;
  if (icons.size() >= max_kept_icons) icons.clear();
  if (icons.isEmpty()) {
    qRemovePostRoutine(forget_kept_icons);
    qAddPostRoutine(forget_kept_icons);
  }
  return *icons.insert(key, make());
}

int kept_icon_count() { return static_cast<int>(kept_icons().size()); }

QIcon icon(const QString& name, const Theme& theme) {
  return kept_icon(QStringLiteral("%1 %2 %3").arg(name, theme.text.name(), theme.faint.name()), [&] {
    const QByteArray svg = drawing(name);
    QIcon made;
    for (const int size : {16, 32, 48}) {
      made.addPixmap(paint(svg, theme.text, size), QIcon::Normal);
      made.addPixmap(paint(svg, theme.faint, size), QIcon::Disabled);
    }
    return made;
  });
}

QIcon application_icon() {
  return kept_icon(QStringLiteral("application"), [] {
    const QByteArray svg = drawing(QStringLiteral("kvantage"));
    QIcon made;
    for (const int size : {32, 64, 128, 256}) made.addPixmap(paint(svg, Qt::black, size));
    return made;
  });
}

}  // namespace kvantage
