#include "ui/settings_file.h"

#include <QFile>
#include <QFileInfo>
#include <QSettings>

namespace kvantage {
namespace {

constexpr qint64 most_bytes = 16 * 1024 * 1024;

// What QSettings would stumble over, said with its place. It would itself drop such a line without a word, and write
// the rest back at the next change.
QString fault_of(const QByteArray& text) {
  if (text.contains('\0')) return QStringLiteral("holds bytes that are no text");
  int number = 0;
  for (const QByteArray& raw : text.split('\n')) {
    ++number;
    const QByteArray line = raw.trimmed();
    if (line.isEmpty() || line.startsWith(';') || line.startsWith('#')) continue;
    if (line.startsWith('[') ? line.endsWith(']') : line.contains('=')) continue;
    return QStringLiteral("line %1 is no setting (“%2”)").arg(number).arg(QString::fromUtf8(line.left(40)));
  }
  return {};
}

}  // namespace

QString default_settings_file() {
  const QString own = QSettings().fileName();
  return own.isEmpty() ? QStringLiteral("kvantage.ini") : own;
}

QString check_settings_file(const QString& path) {
  const QFileInfo info(path);
  if (!info.exists()) return {};
  QFile file(path);
  if (!info.isFile() || !file.open(QIODevice::ReadOnly))
    return QStringLiteral("%1: %2, so layouts and theme are not kept; %3")
        .arg(path, info.isFile() ? file.errorString() : QStringLiteral("is no file"),
             info.isFile() ? QStringLiteral("make it readable and start again")
                           : QStringLiteral("take it away and start again"));
  const QString fault = info.size() > most_bytes ? QStringLiteral("is larger than 16 MiB") : fault_of(file.readAll());
  file.close();
  if (fault.isEmpty()) return {};
  const QString kept = path + QStringLiteral(".broken");
  QFile::remove(kept);
  if (!QFile::rename(path, kept))
    return QStringLiteral("%1: %2, and it cannot be renamed; take it away by hand, or layouts and theme are not kept")
        .arg(path, fault);
  return QStringLiteral("%1: %2, so the window starts with defaults; the file is kept as %3 to be mended and put back")
      .arg(path, fault, QFileInfo(kept).fileName());
}

}  // namespace kvantage
