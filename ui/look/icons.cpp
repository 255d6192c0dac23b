#include "ui/look/icons.h"

#include <QFile>
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

}  // namespace

QIcon icon(const QString& name, const Theme& theme) {
  const QByteArray svg = drawing(name);
  QIcon made;
  for (const int size : {16, 32, 48}) {
    made.addPixmap(paint(svg, theme.text, size), QIcon::Normal);
    made.addPixmap(paint(svg, theme.faint, size), QIcon::Disabled);
  }
  return made;
}

QIcon application_icon() {
  QIcon made;
  for (const int size : {32, 64, 128, 256}) made.addPixmap(paint(drawing(QStringLiteral("kvantage")), Qt::black, size));
  return made;
}

}  // namespace kvantage
