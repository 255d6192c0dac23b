// The format of a picture for a paper: as wide as one column or two, and what its text is set in. The last one that was
// chosen is proposed again.
#pragma once

#include <QString>
#include <QStringList>
#include <array>
#include <utility>

class QSettings;

namespace kvantage {

enum class PaperWidth { one_column, two_columns };

/// 85 and 178 mm.
double paper_width_mm(PaperWidth width);

struct PaperFont {
  QString family = {};  // empty: the window's
  double points = 0;    // of axis labels, other text in proportion; 0: the window's at a text size of 100 %
  bool operator==(const PaperFont&) const = default;
};

/// Text sizes to choose from, in points.
inline constexpr std::array<double, 7> paper_font_points{6, 7, 8, 9, 10, 11, 12};
/// Families that can be drawn at any size: of those installed, first the ones that papers are set in.
QStringList paper_font_families();

struct PaperFormat {
  PaperFormat() = default;
  PaperFormat(PaperWidth wide, PaperFont letters = {}) : width(wide), font(std::move(letters)) {}  // a width alone, too
  PaperWidth width = PaperWidth::one_column;
  PaperFont font;
  bool operator==(const PaperFormat&) const = default;
};

/// By the ending of a path: "svg", "png", otherwise "pdf".
QString paper_kind_of(const QString& path);

/// Of the whole program.
PaperFormat last_paper_format();
void set_last_paper_format(const PaperFormat& format);
/// Reads it from `settings`, and writes it there when it changes, as long as `settings` lives. What is no format there
/// is ignored.
void keep_paper_format_in(QSettings& settings, const QString& key);

}  // namespace kvantage
