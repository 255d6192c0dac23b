#include "ui/window/parts/window_looks.h"

#include <QApplication>
#include <utility>

#include "ui/look/font_scale.h"

namespace kvantage {

WindowLooks::WindowLooks(QSettings& kept, std::function<bool()> presenting, QObject* parent)
    : QObject(parent), kept_(kept), presenting_(std::move(presenting)) {}

int WindowLooks::kept_percent() const {
  bool number = false;
  const int percent = kept_.value("window/font_percent", 100).toString().toInt(&number);
  return number ? percent : 100;
}

ThemeKind WindowLooks::kept_kind() const {
  return kept_.value("window/theme").toString() == "dark" ? ThemeKind::dark : ThemeKind::light;
}

void WindowLooks::begin() {
  kind_ = kept_kind();
  set_font_percent(kept_percent());
  apply_theme(*static_cast<QApplication*>(QApplication::instance()), kind_);
}

void WindowLooks::restore() {
  kind_ = kept_kind();
  set_font_size(kept_percent());
}

void WindowLooks::set_theme(ThemeKind kind) {
  kind_ = kind;
  apply_theme(*static_cast<QApplication*>(QApplication::instance()), kind);
  emit themeChanged(theme());
  kept_.setValue("window/theme", kind == ThemeKind::dark ? "dark" : "light");
}

void WindowLooks::set_font_size(int percent) {
  set_font_percent(percent);
  if (!presenting_()) kept_.setValue("window/font_percent", font_percent());
  set_theme(kind_);
}

}  // namespace kvantage
