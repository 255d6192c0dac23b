// The row above a view: its title at the left, buttons and choices at the right, in as many lines as large text needs.
#pragma once

#include <QLayout>
#include <vector>

namespace kvantage {

class HeadLayout : public QLayout {
 public:
  explicit HeadLayout(int spacing);
  HeadLayout(const HeadLayout&) = delete;
  HeadLayout& operator=(const HeadLayout&) = delete;
  ~HeadLayout() override;

  void addItem(QLayoutItem* item) override;
  int count() const override { return static_cast<int>(items_.size()); }
  QLayoutItem* itemAt(int index) const override;
  QLayoutItem* takeAt(int index) override;
  Qt::Orientations expandingDirections() const override { return {}; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;
  /// As wide as the widest part.
  QSize minimumSize() const override;
  void setGeometry(const QRect& rect) override;

 private:
  int arrange(const QRect& rect, bool place) const;
  std::vector<QLayoutItem*> items_;
};

}  // namespace kvantage
