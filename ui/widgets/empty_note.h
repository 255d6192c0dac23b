// A sentence in the middle of a table without rows: why it is empty and what to do about it.
#pragma once

#include <QLabel>
#include <functional>

class QAbstractItemView;

namespace kvantage {

class EmptyNote : public QLabel {
  Q_OBJECT
 public:
  /// `text` is asked whenever the rows of the view's model change; empty: nothing is said.
  EmptyNote(QAbstractItemView& view, std::function<QString()> text);
  /// Asks again: the reason changed and the rows did not.
  void update_text();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QAbstractItemView& view_;
  std::function<QString()> text_;
};

}  // namespace kvantage
