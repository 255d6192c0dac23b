// Parts row by row, in as many columns as there is room for.
#pragma once

#include <QGridLayout>
#include <QWidget>
#include <vector>

namespace kvantage {

class FittingGrid : public QWidget {
  Q_OBJECT
 public:
  FittingGrid(int max_columns, int spacing, QWidget* parent = nullptr);
  /// In this order, row by row; previous parts that are not among them are removed, not deleted.
  void set_parts(std::vector<QWidget*> parts);
  int columns() const { return columns_; }
  /// As wide as the widest part.
  QSize minimumSizeHint() const override;

 protected:
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  int width_of(int columns) const;
  void arrange();
  void place();

  QGridLayout* grid_;
  std::vector<QWidget*> parts_;
  int max_columns_, columns_;
};

}  // namespace kvantage
