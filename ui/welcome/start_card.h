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
  /// What of the name is painted in the present width where the page is low.
  QString painted_name() const;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QSize compact_size(int name_width) const;
  QSize whole_size(int text_width) const;
  QFont title_font() const;
  int text_left() const;
  QRect name_room() const;
  QFont name_font() const;
  bool compact_ = false;
};

}  // namespace kvantage
