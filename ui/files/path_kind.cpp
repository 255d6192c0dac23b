#include "ui/files/path_kind.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <algorithm>

#include "core/imported/serving/serving_config.h"

namespace kvantage {
namespace {

/// A zip archive with compiled code: its directory is at its end. Larger ones hold the weights of a model.
bool is_method_file(const QString& path) {
  constexpr qint64 max_bytes = qint64{16} << 20, seen_bytes = 65536;
  QFile file(path);
  // Files of the system say 0 bytes, and may wait for more when they are read.
  if (!QFileInfo(path).isFile() || file.size() == 0 || file.size() > max_bytes || !file.open(QIODevice::ReadOnly))
    return false;
  QByteArray seen = file.read(seen_bytes);
  if (!seen.startsWith("PK\x03\x04")) return false;
  if (file.size() > seen_bytes && file.seek(std::max(seen_bytes, file.size() - seen_bytes)))
    seen += file.read(seen_bytes);
  return seen.contains("/constants.pkl") || seen.contains("/code/__torch__");
}

/// By its name, or as Parquet; files of a workload folder are of their folder.
bool is_data_file(const QFileInfo& info, const QByteArray& begin) {
  const bool in_workload = QFileInfo::exists(info.dir().filePath(QStringLiteral("workload.json")));
  if (in_workload) return false;
  if (begin.startsWith("PAR1")) return true;
  for (const char* ending : {"json", "jsonl", "csv", "tsv", "parquet"})
    if (info.suffix().compare(QLatin1String(ending), Qt::CaseInsensitive) == 0) return true;
  return false;
}

}  // namespace

bool is_python_source(const QString& path) {
  const QFileInfo info(path);
  return info.isFile() && info.suffix().compare(QStringLiteral("py"), Qt::CaseInsensitive) == 0;
}

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
  // A scorer before it was run: whoever loads methods says so.
  if (is_python_source(path)) return PathKind::method;
  if (is_method_file(path)) return PathKind::method;
  for (const char* ending : {"yaml", "yml"})
    if (info.suffix().compare(QLatin1String(ending), Qt::CaseInsensitive) == 0) return PathKind::serving;
  for (const char* ending : {"safetensors", "bin", "pt", "pth"})
    if (info.suffix().compare(QLatin1String(ending), Qt::CaseInsensitive) == 0) return PathKind::model;
  if (!info.isFile()) return PathKind::workload;  // reading a pipe would wait for its writer
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return PathKind::workload;  // whose opener says why it cannot be read
  const QByteArray begin = file.size() == 0 ? QByteArray() : file.read(4096);
  if (begin.startsWith("GGUF")) return PathKind::model;
  if (looks_like_serving_config({begin.constData(), static_cast<std::size_t>(begin.size())})) return PathKind::serving;
  const QString head = QString::fromUtf8(begin);
  static const QRegularExpression format(QStringLiteral("\"format\"\\s*:\\s*\"kvantage-(run|layout)\""));
  const auto found = format.match(head);
  if (!found.hasMatch() || !head.trimmed().startsWith('{'))
    return is_data_file(info, begin) ? PathKind::data : PathKind::workload;
  return found.captured(1) == "run" ? PathKind::run : PathKind::layout;
}

}  // namespace kvantage
