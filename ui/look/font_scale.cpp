#include "ui/look/font_scale.h"

#include <QApplication>
#include <QFont>
#include <algorithm>
#include <array>

namespace kvantage {
namespace {

constexpr std::array steps = {80, 90, 100, 110, 125, 140, 160, 180, 200};
int present = 100;

// The system's font as it was before anybody scaled it.
const QFont& system_font() {
  static const QFont font = QApplication::font();
  return font;
}

}  // namespace

void set_font_percent(int percent) {
  QFont font = system_font();
  present = std::clamp(percent, min_font_percent, max_font_percent);
  if (font.pointSizeF() > 0)
    font.setPointSizeF(font.pointSizeF() * present / 100);
  else
    font.setPixelSize(std::max(1, font.pixelSize() * present / 100));
  if (QApplication::font() != font) QApplication::setFont(font);
}

int font_percent() { return present; }

int next_font_percent(int percent, int direction) {
  if (direction > 0) {
    const auto* above = std::ranges::upper_bound(steps, percent);
    return above == steps.end() ? steps.back() : *above;
  }
  const auto* at = std::ranges::lower_bound(steps, percent);
  return at == steps.begin() ? steps.front() : *(at - 1);
}

}  // namespace kvantage
