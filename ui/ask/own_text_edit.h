// Where a user pastes a text of their own, or drops a text file.
#pragma once

#include <QPlainTextEdit>

namespace kvantage {

class OwnTextEdit : public QPlainTextEdit {
  Q_OBJECT
 public:
  explicit OwnTextEdit(QWidget* parent = nullptr);
  /// Takes over the text of a file, or says why not.
  void read_file(const QString& path);

 signals:
  void refused(const QString& reason);

 protected:
  bool canInsertFromMimeData(const QMimeData* source) const override;
  void insertFromMimeData(const QMimeData* source) override;
};

}  // namespace kvantage
