// Colors and dashes of the runs that the Frontier holds.
#include <array>

#include "ui/look/theme.h"

namespace kvantage {
namespace {

// Names of runs are written in them: 4.5 : 1 and more on charts, tables and menus; neighbors are far apart.
constexpr std::array<const char*, 12> light_runs = {"#1c6fd0", "#c2410c", "#27803a", "#b3267f", "#0a7783", "#8a6400",
                                                    "#6741d9", "#c92a2a", "#5c6f12", "#2f6f9f", "#7a4a1e", "#8a3fa0"};
constexpr std::array<const char*, 12> dark_runs = {"#6aa9ff", "#ff9a5c", "#63d17e", "#f07cc0", "#4fd0dc", "#e3bb4a",
                                                   "#ab93ff", "#ff7d7d", "#bcd25a", "#8cc7ee", "#d3a47a", "#d79bea"};

}  // namespace

QColor Theme::run(std::size_t index) const {
  const auto& colors = kind == ThemeKind::light ? light_runs : dark_runs;
  return QColor(QString::fromLatin1(colors[index % colors.size()]));
}

// 12 hues and 8 dashes repeat together after 24: from there on the dashes are one ahead.
QList<qreal> run_dashes(std::size_t index) { return line_dashes(index + index / 24); }

}  // namespace kvantage
