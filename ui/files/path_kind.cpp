#include "ui/files/path_kind.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>

namespace kvantage {

PathKind kind_of_path(const QString& path) {
  const QFileInfo info(path);
  if (!info.exists()) return PathKind::missing;
  if (info.isDir()) {
    const QDir folder(path);
    const bool weights = !folder
                              .entryList({QStringLiteral("*.safetensors"), QStringLiteral("*.safetensors.index.json"),
                                          QStringLiteral("pytorch_model*.bin"), QStringLiteral("*.pth")})
                              .isEmpty();
    return weights && folder.exists(QStringLiteral("config.json")) ? PathKind::model : PathKind::workload;
  }
  // By its name, whatever is in it: who reads runs, or models, says best what is wrong with one.
  if (info.suffix().compare(QStringLiteral("kvrun"), Qt::CaseInsensitive) == 0) return PathKind::run;
  if (info.suffix().compare(QStringLiteral("gguf"), Qt::CaseInsensitive) == 0) return PathKind::model;
  for (const char* ending : {"safetensors", "bin", "pt", "pth"})
    if (info.suffix().compare(QLatin1String(ending), Qt::CaseInsensitive) == 0) return PathKind::model;
  if (!info.isFile()) return PathKind::workload;  // reading a pipe would wait for its writer
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return PathKind::workload;  // whose opener says why it cannot be read
  const QByteArray begin = file.read(4096);
  if (begin.startsWith("GGUF")) return PathKind::model;
  const QString head = QString::fromUtf8(begin);
  static const QRegularExpression format(QStringLiteral("\"format\"\\s*:\\s*\"kvantage-(run|layout)\""));
  const auto found = format.match(head);
  if (!found.hasMatch() || !head.trimmed().startsWith('{')) return PathKind::workload;
  return found.captured(1) == "run" ? PathKind::run : PathKind::layout;
}

}  // namespace kvantage
