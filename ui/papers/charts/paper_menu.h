// The menu "Plot for a paper" of a result: three kinds of file in two widths, or in a format of the user's choice.
#pragma once

#include <QString>
#include <functional>

#include "ui/papers/charts/paper_format.h"

class QMenu;
class QWidget;

namespace kvantage {

struct PlotToSave {
  std::function<QString()> name;  // of the file, without an ending
  /// kind "svg", "pdf" or "png".
  std::function<void(const QString& kind, const PaperFormat& format, const QString& path)> save;
};

/// Adds it to `menu`; each of its actions asks for a path over `owner`, without blocking the window, and saves. Both
/// functions are called as long as `owner` lives.
QMenu* add_paper_menu(QMenu& menu, QWidget* owner, const PlotToSave& plot);

}  // namespace kvantage
