// The window on the screen. It stays, with its place and size, while one session's MainWindow in it is replaced by the
// next one's; in between it shows a picture of the last and what is being opened.
#pragma once

#include <QLabel>
#include <QStackedLayout>
#include <QWidget>

namespace kvantage {

class WindowFrame : public QWidget {
 public:
  WindowFrame();
  /// Holds and shows `window`, which the caller owns. The first one gives the frame its size, state, title and icon.
  void take(QWidget& window);
  /// What it holds is about to end: the frame shows its picture under `what`.
  void cover(const QString& what);
  /// What it holds continues after all.
  void uncover();
  bool covered() const { return layout_->currentWidget() == picture_; }

 protected:
  /// Closes as soon as what it holds agrees to close.
  void closeEvent(QCloseEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  QWidget* held() const { return layout_->count() > 1 ? layout_->widget(1) : nullptr; }
  QStackedLayout* layout_;
  QLabel *picture_, *line_;
};

}  // namespace kvantage
