// A QApplication for a command line that draws: no window system, no messages but our own, the locale as it was.
#pragma once

#include <QApplication>
#include <optional>
#include <string>

#include "core/base/error.h"

namespace kvantage::inline report_pages {

class OffscreenApplication {
 public:
  OffscreenApplication();
  ~OffscreenApplication();
  OffscreenApplication(const OffscreenApplication&) = delete;
  OffscreenApplication& operator=(const OffscreenApplication&) = delete;

 private:
  std::string locale_;
  QtMessageHandler before_ = nullptr;
  // No theme either: that of a desktop may ask for a display.
  char name_[9] = "kvantage", option_[10] = "-platform", platform_[10] = "offscreen", themes_[15] = "-platformtheme",
       theme_[5] = "none";
  char* words_[6] = {name_, option_, platform_, themes_, theme_, nullptr};
  int count_ = 5;
  std::optional<QApplication> application_;
};

/// Makes `own` where the program has no QApplication. internal error, beginning with `what`, where it has a
/// QCoreApplication of another kind.
Status need_application(std::optional<OffscreenApplication>& own, const std::string& what);

}  // namespace kvantage::inline report_pages
