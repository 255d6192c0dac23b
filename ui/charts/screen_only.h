// Parts of a chart that are for the screen alone, such as a button over it: pictures leave them out.
#pragma once

#include <QWidget>
#include <vector>

namespace kvantage {

/// True of such a child.
inline constexpr const char* screen_only_property = "kvantage.screen_only";

/// Hides them while it lives.
class WithoutScreenOnly {
 public:
  explicit WithoutScreenOnly(QWidget& picture) {
    for (QWidget* child : picture.findChildren<QWidget*>())
      if (child->property(screen_only_property).toBool() && !child->isHidden()) {
        child->hide();
        hidden_.push_back(child);
      }
  }
  ~WithoutScreenOnly() {
    for (QWidget* child : hidden_) child->show();
  }
  WithoutScreenOnly(const WithoutScreenOnly&) = delete;
  WithoutScreenOnly& operator=(const WithoutScreenOnly&) = delete;

 private:
  std::vector<QWidget*> hidden_;
};

}  // namespace kvantage
