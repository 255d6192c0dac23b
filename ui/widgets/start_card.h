// A choice of the start page: a picture, a name, and below it what it is. Where the page is low, the name alone, with
// the rest as its tool tip.
#pragma once

#include <QCommandLinkButton>

namespace kvantage {

class StartCard : public QCommandLinkButton {
 public:
  StartCard(const QString& name, const QString& what, const QIcon& picture, QWidget* parent = nullptr);
  void set_compact(bool compact);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  int heightForWidth(int width) const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QSize compact_size(int name_width) const;
  bool compact_ = false;
};

}  // namespace kvantage
