#include "ui/files/settings_file.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>

#include "core/base/folders.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

struct SettingsFileText {
  Q_DECLARE_TR_FUNCTIONS(SettingsFileText)
};

constexpr qint64 max_bytes = 16 * 1024 * 1024;

// What QSettings would stumble over, said with its place. It would itself drop such a line without a word, and write
// the rest back at the next change.
QString fault_of(const QByteArray& text) {
  if (text.contains('\0')) return SettingsFileText::tr("contains bytes that are not text");
  int number = 0;
  for (const QByteArray& raw : text.split('\n')) {
    ++number;
    const QByteArray line = raw.trimmed();
    if (line.isEmpty() || line.startsWith(';') || line.startsWith('#')) continue;
    if (line.startsWith('[') ? line.endsWith(']') : line.contains('=')) continue;
    return SettingsFileText::tr("line %1 is not a setting (“%2”)").arg(number).arg(QString::fromUtf8(line.left(40)));
  }
  return {};
}

}  // namespace

// As QSettings finds it, which cannot be asked: it reads the file when it is made.
QString default_settings_file() {
  QString folder = qEnvironmentVariable("XDG_CONFIG_HOME");
  if (folder.isEmpty()) folder = QStringLiteral(".config");
  if (QDir::isRelativePath(folder)) folder.prepend(QDir::homePath() + QLatin1Char('/'));
  QString organization = QCoreApplication::organizationName();
  if (organization.isEmpty()) organization = QStringLiteral("Unknown Organization");
  return folder + QLatin1Char('/') + organization + QLatin1Char('/') + QCoreApplication::applicationName() +
         QStringLiteral(".conf");
}

QString openable_settings_file(const QString& path) {
  const QFileInfo info(path);
  if (!info.exists() || info.isDir() || (info.isFile() && info.size() <= max_bytes)) return path;
  return path + QStringLiteral("/unsaved");  // below something that is no folder
}

QString check_settings_file(const QString& path) {
  const QFileInfo info(path);
  if (!info.exists()) {
    // QSettings would make the folder for everybody; where it cannot be made, QSettings says so.
    (void)make_private_folders(from_q(info.absolutePath()));
    return {};
  }
  QFile file(path);
  if (!info.isFile() || !file.open(QIODevice::ReadOnly))
    return info.isFile()
               ? SettingsFileText::tr("%1: %2, so layouts and theme are not saved. Make it readable and restart.")
                     .arg(path, file.errorString())
               : SettingsFileText::tr("%1 is not a file, so layouts and theme are not saved. Remove it and restart.")
                     .arg(path);
  const QString fault =
      info.size() > max_bytes ? SettingsFileText::tr("is larger than 16 MiB") : fault_of(file.readAll());
  file.close();
  if (fault.isEmpty()) return {};
  const QString kept = path + QStringLiteral(".broken");
  QFile::remove(kept);
  if (!QFile::rename(path, kept))
    return SettingsFileText::tr(
               "%1: %2, and it cannot be renamed, so layouts and theme are not saved. Remove the file.")
        .arg(path, fault);
  return SettingsFileText::tr("%1: %2, so defaults are used. The file is renamed to %3; fix it and rename it back.")
      .arg(path, fault, QFileInfo(kept).fileName());
}

}  // namespace kvantage
