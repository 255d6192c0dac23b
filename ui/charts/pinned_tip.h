// What a click shows of a point: its whole tool tip, which stays until Esc, a press or a wheel elsewhere, or until its
// chart is hidden. It takes neither mouse nor keyboard from the window.
#pragma once

#include <QFrame>
#include <QPointer>
#include <QString>

class QLabel;

namespace kvantage {

/// At most three lines of what is under the mouse, with a note where a click shows more.
QString short_tip(const QString& whole);

class PinnedTip : public QFrame {
  Q_OBJECT
 public:
  /// Beside a place of the screen, over `owner`; whatever was pinned before goes.
  static void pin(QWidget& owner, const QPoint& at, const QString& text);
  /// The mouse is over what `whole` is of: shows its short tip, or none where that is empty or already pinned. `area`
  /// of the owner: where it stays; null: until the mouse leaves the owner.
  static void hover(QWidget& owner, const QPoint& at, const QString& whole, const QRect& area = {});
  /// A click there: pins what the short tip leaves out.
  static void click(QWidget& owner, const QPoint& at, const QString& whole);
  static void unpin();
  /// What is pinned; empty: nothing.
  static QString text();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  PinnedTip(QWidget& owner, const QString& text);
  void place(const QPoint& at);
  QPointer<QWidget> owner_;
  QLabel* label_;
};

}  // namespace kvantage
