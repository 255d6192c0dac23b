// Draws where a request's time to first token went as a small stacked bar.
#pragma once

#include <QStyledItemDelegate>

#include "ui/live/requests/model/requests_model.h"
#include "ui/look/theme.h"

namespace kvantage {

class TimingBarDelegate : public QStyledItemDelegate, public Themed {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void set_theme(const Theme& theme) override { theme_ = theme; }
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  Theme theme_ = theme_of(ThemeKind::light);
};

QColor segment_color(const Theme& theme, RequestsModel::Segment segment);

}  // namespace kvantage
