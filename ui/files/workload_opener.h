// Opening another workload or model from the window: it is read on a thread of its own and then offered; on the user's
// word the window asks to be reopened with it. The reading itself comes from outside, so the window knows nothing of
// formats.
#pragma once

#include <QList>
#include <QObject>
#include <QString>
#include <functional>

class QThread;
class QWidget;

namespace kvantage {

/// Why a path cannot be opened, empty when it can. Called on a thread of its own.
using CheckWorkload = std::function<QString(const QString& path)>;

class WorkloadOpener : public QObject {
  Q_OBJECT
 public:
  /// `question` is asked about what can be opened, with the name for %1: "Open “%1”?"
  WorkloadOpener(QWidget* window, CheckWorkload check, const QString& question);
  ~WorkloadOpener() override;
  /// Reads the path, then asks whether to open it, or says why it cannot be opened. One at a time: the latest counts.
  void offer(const QString& path);
  /// Discards what is being read. The read itself runs to its end in the background.
  void cancel();
  bool busy() const { return busy_; }
  void choose_file();
  /// What else ends with the run, asked when the question is: a sentence, or nothing.
  void set_also_ends(std::function<QString()> loss) { also_ends_ = std::move(loss); }
  void choose_folder();

 signals:
  void reading(const QString& path);
  /// Read, refused or given up: nothing is being read any more.
  void ended();
  void refused(const QString& reason);
  void chosen(const QString& path);

 private:
  void ask(const QString& path);
  void choose(bool folder);
  QWidget* window_;
  CheckWorkload check_;
  QString question_;
  std::function<QString()> also_ends_;
  void end();
  quint64 latest_ = 0;
  bool busy_ = false;
  QList<QThread*> threads_;
};

}  // namespace kvantage
