#include "ui/ask/own_text_edit.h"

#include <QFile>
#include <QFileInfo>
#include <QMimeData>
#include <QUrl>

#include "core/workload/own_text.h"
#include "ui/ask/ask_model.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {

OwnTextEdit::OwnTextEdit(QWidget* parent) : QPlainTextEdit(parent) {
  setTabChangesFocus(true);
  setPlaceholderText(tr("Paste a text here, or drop a text file."));
}

void OwnTextEdit::read_file(const QString& path) {
  QFile file(path);
  if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly)) {
    emit refused(tr("%1 cannot be read: %2").arg(path, file.errorString()));
    return;
  }
  // Files of the system say 0 bytes, and may wait for more when they are read.
  const QByteArray bytes = file.size() == 0 ? QByteArray() : file.read(AskModel::max_text + 1);
  if (bytes.size() > AskModel::max_text) {
    emit refused(tr("%1 is larger than %2. Use a part of it, or open it as a workload.")
                     .arg(path, bytes_text(static_cast<double>(AskModel::max_text))));
    return;
  }
  std::size_t replaced = 0;
  const auto text = cleaned_text({bytes.constData(), static_cast<std::size_t>(bytes.size())}, from_q(path), replaced);
  if (!text) {
    emit refused(core_text(text.error().message));
    return;
  }
  setPlainText(to_q(*text));
}

bool OwnTextEdit::canInsertFromMimeData(const QMimeData* source) const {
  return source->hasUrls() || QPlainTextEdit::canInsertFromMimeData(source);
}

void OwnTextEdit::insertFromMimeData(const QMimeData* source) {
  if (!source->hasUrls()) return QPlainTextEdit::insertFromMimeData(source);
  const QString path = source->urls().constFirst().toLocalFile();
  if (path.isEmpty())
    emit refused(tr("%1 is not on this computer. Save it first, then drop the file.")
                     .arg(source->urls().constFirst().toDisplayString()));
  else
    read_file(path);
}

}  // namespace kvantage
