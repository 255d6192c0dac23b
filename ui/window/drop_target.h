// Files and folders that are dropped on a window: one local path at a time; what cannot be taken is said, not
// swallowed.
#pragma once

#include <QMimeData>
#include <QObject>
#include <QString>
#include <QUrl>

class QDropEvent;
class QWidget;

namespace kvantage {

class DropTarget : public QObject {
  Q_OBJECT
 public:
  explicit DropTarget(QWidget* window);

 signals:
  void dropped(const QString& path);
  /// One line: what, why, how to fix it.
  void refused(const QString& reason);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void take(const QMimeData& data);
  bool is_ours(const QObject* watched, const QDropEvent& drop) const;
  QWidget* window_;
  mutable QUrl judged_;
  mutable bool for_window_ = false;
};

}  // namespace kvantage
