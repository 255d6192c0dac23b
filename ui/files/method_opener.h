// Adding a method of a file to a session: the file is read on a thread of its own, where its code is loaded (confined,
// which is not for the window to do). One at a time: the latest counts.
#pragma once

#include <QList>
#include <QObject>
#include <QString>

#include "ui/window/method_offer.h"

class QThread;

namespace kvantage {

class MethodOpener : public QObject {
  Q_OBJECT
 public:
  MethodOpener(MethodOffer::ReadFile read, QObject* parent);
  ~MethodOpener() override;
  void offer(const QString& path);
  /// Discards what is being read. The read itself runs to its end in the background.
  void cancel();
  bool busy() const { return busy_; }

 signals:
  void reading(const QString& path);
  /// Read, refused or given up: nothing is being read any more.
  void ended();
  void refused(const QString& reason);
  /// Its canonical text, and what it does.
  void chosen(const QString& method, const QString& summary);

 private:
  void end();

  MethodOffer::ReadFile read_;
  quint64 latest_ = 0;
  bool busy_ = false;
  QList<QThread*> threads_;
};

}  // namespace kvantage
