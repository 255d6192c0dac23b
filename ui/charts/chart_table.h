// The metrics behind a chart, for 'show as table' and CSV, and the context menu that every chart has.
#pragma once

#include <QByteArray>
#include <QImage>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QVector>
#include <functional>
#include <vector>

class QAction;
class QMenu;
class QWidget;

namespace kvantage {

/// The columns of a table that are drawn when its data is plotted elsewhere. `x` empty: see plot_of().
struct PlotColumns {
  QString x;
  QStringList y;
  bool marks = false;  // points without lines
};

struct ChartTable {
  QStringList header;
  QVector<QStringList> rows;
  PlotColumns plot{};
  /// RFC 4180: quotes where needed, CRLF.
  QString to_csv() const;
};

struct ChartExport {
  QWidget* picture = nullptr;  // rendered for PNG and SVG
  QString name;                // file name without extension, and title of the table
  std::function<ChartTable()> table;
};

bool save_png(QWidget& picture, const QString& path, double scale = 2);
bool save_svg(QWidget& picture, const QString& path, const QString& title);
/// One page of the picture's size; text stays text, lines stay lines.
bool save_pdf(QWidget& picture, const QString& path, const QString& title);
bool save_csv(const ChartTable& table, const QString& path);
/// The metrics as tabular environments that need no package, so many rows each that they fit on a page
/// (chart_latex.cpp).
QString to_latex(const ChartTable& table, const QString& title);
bool save_latex(const ChartTable& table, const QString& path, const QString& title);

/// True of an action that exports or copies.
inline constexpr const char* export_property = "kvantage.exports";

/// The picture, pixel for pixel, and as SVG; without children that are only for the screen.
QImage picture_image(QWidget& picture, double scale = 2);
QByteArray picture_svg(QWidget& picture, const QString& title);
/// Puts a chart on the clipboard (chart_copy.cpp): "image", "svg" (also as text), "csv", "pgfplots" or "matplotlib".
void copy_chart(const ChartExport& chart, const QString& kind);
/// The actions that do so; of a table "csv" alone.
QList<QAction*> copy_actions(QObject& owner, const ChartExport& chart);

/// Exports as a picture of a paper's column width, also with a chosen font; none of what is a table.
QList<QAction*> paper_actions(QObject& owner, const ChartExport& chart);

/// 'Show as table', exports and copies, with separators between, owned by `owner`. Their data is the chart's name.
QList<QAction*> chart_actions(QObject& owner, const ChartExport& chart);
/// Fills `menu` with them.
void add_chart_actions(QMenu& menu, const ChartExport& chart);
/// A right click, the menu key or Shift+F10 on `widget` opens its actions; they are made once, so that the palette
/// finds them, too.
void open_actions_on_right_click(QWidget& widget);
/// Adds a chart's actions to those of `widget`, and lets a right click open them. Of a table or another scroll area
/// `widget` is the area itself: its viewport hands such clicks to it.
void install_chart_menu(QWidget& widget, const ChartExport& chart);
/// All charts and tables under `window` that have such a menu, seen or not.
std::vector<ChartExport> charts_of(const QWidget& window);

/// How charts_of finds them: a child of the picture.
class ChartHandle : public QObject {
  Q_OBJECT
 public:
  explicit ChartHandle(const ChartExport& exported);
  const ChartExport chart;
};

}  // namespace kvantage
