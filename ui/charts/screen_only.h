// What pictures of a chart need to know: its parts that are for the screen alone, such as a button over it, which they
// leave out, and how large its labels are.
#pragma once

#include <QWidget>
#include <vector>

#include "ui/look/pictured.h"

namespace kvantage {

/// True of such a child.
inline constexpr const char* screen_only_property = "kvantage.screen_only";

/// Of a view that paints itself: the size of its labels as a part of its font's. None: 1.
inline constexpr const char* label_share_property = "kvantage.label_share";

/// Hides them, and the focus, while it lives.
class WithoutScreenOnly {
 public:
  explicit WithoutScreenOnly(QWidget& picture) : picture_(picture) {
    picture_.setProperty(pictured_property, true);
    for (QWidget* child : picture.findChildren<QWidget*>())
      if (child->property(screen_only_property).toBool() && !child->isHidden()) {
        child->hide();
        hidden_.push_back(child);
      }
  }
  ~WithoutScreenOnly() {
    picture_.setProperty(pictured_property, QVariant());
    for (QWidget* child : hidden_) child->show();
  }
  WithoutScreenOnly(const WithoutScreenOnly&) = delete;
  WithoutScreenOnly& operator=(const WithoutScreenOnly&) = delete;

 private:
  QWidget& picture_;
  std::vector<QWidget*> hidden_;
};

}  // namespace kvantage
