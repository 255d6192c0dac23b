// Parts beside one another while there is room for them, below one another where there is not: large text in a
// narrow dock.
#pragma once

#include <QBoxLayout>
#include <QWidget>

namespace kvantage {

class StackingRow : public QWidget {
  Q_OBJECT
 public:
  explicit StackingRow(int spacing, QWidget* parent = nullptr);
  void add(QWidget* part, int stretch, Qt::Alignment alignment = {});
  bool stacked() const { return row_->direction() == QBoxLayout::TopToBottom; }
  /// As wide as the widest part.
  QSize minimumSizeHint() const override;

 protected:
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void arrange();
  QBoxLayout* row_;
  int spacing_;
};

}  // namespace kvantage
