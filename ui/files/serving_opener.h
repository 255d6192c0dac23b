// Starting the session with the settings of a serving system: the file is read on a thread of its own, then a dialog
// lists what it sets and what has no equivalent. Reading comes from outside. One at a time: the latest counts.
#pragma once

#include <QList>
#include <QObject>
#include <QString>
#include <QStringList>
#include <functional>

#include "core/base/error.h"

class QThread;
class QWidget;

namespace kvantage {

/// What a settings file of LMCache or vLLM means for a session, in core's words: one sentence each.
struct ServingFile {
  QString system;      // "LMCache"
  QStringList taken;   // what it sets
  QStringList unsaid;  // what has no equivalent
};

/// Called on a thread of its own. The error says why a session cannot start with it.
using ReadServing = std::function<Expected<ServingFile>(const QString& path)>;

class ServingOpener : public QObject {
  Q_OBJECT
 public:
  ServingOpener(QWidget* window, ReadServing read);
  ~ServingOpener() override;
  /// Reads the file, then asks whether to start with it, or says why that is impossible.
  void offer(const QString& path);
  /// Discards what is being read. The read itself runs to its end in the background.
  void cancel();
  bool busy() const { return busy_; }
  void choose_file();
  /// What else ends with the run, asked when the question is: a sentence, or nothing.
  void set_also_ends(std::function<QString()> loss) { also_ends_ = std::move(loss); }

 signals:
  void reading(const QString& path);
  /// Read, refused or given up: nothing is being read any more.
  void ended();
  void refused(const QString& reason);
  void chosen(const QString& path);

 private:
  void ask(const QString& path, const ServingFile& file);
  void end();
  QWidget* window_;
  ReadServing read_;
  std::function<QString()> also_ends_;
  quint64 latest_ = 0;
  bool busy_ = false;
  QList<QThread*> threads_;
};

}  // namespace kvantage
