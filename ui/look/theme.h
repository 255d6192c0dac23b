// Colors and type of the window in a dark and a light theme, both complete. One color means one thing everywhere: a
// method, a tier, a policy keeps its color in every chart and table; a provenance keeps its look (provenance_look.h).
#pragma once

#include <QColor>
#include <QList>
#include <QString>
#include <cstddef>
#include <optional>
#include <vector>

class QApplication;
class QChart;
class QWidget;

namespace kvantage {

enum class ThemeKind { light, dark };

struct Theme {
  ThemeKind kind = ThemeKind::light;
  QColor window, panel, base, alternate;  // from the outermost surface inwards
  QColor text, muted, faint, grid, border;
  QColor accent, accent_text;
  QColor good, warning, error;
  QColor lookup, load, unpack, context_prefill, question_prefill;  // where TTFT goes

  /// 8 hues, each with a shade for every codec that a method is combined with. method_look.h has what distinguishes
  /// methods of one hue.
  QColor method(const QString& text_form) const;
  /// `color` is what the tier's kind has (TierRoles); without one a tier is known by its name alone.
  QColor tier(const QString& name, std::optional<std::size_t> color = std::nullopt) const;
  QColor policy(const QString& text_form) const;
  /// A muted one, which no method has.
  QColor family(const QString& name) const;
  /// How a tier's lines are dashed; empty: solid.
  QList<qreal> tier_dashes(const QString& name, std::optional<std::size_t> color = std::nullopt) const;
  /// 0 = no drop .. 1 = everything lost; a scale that reads in both themes and without red-green vision.
  QColor heat(double drop) const;
  QColor series(std::size_t index) const;
  /// Grays of what has no hue of its own: tiers, and lines and bars that belong to no method, policy or family.
  QColor neutral(std::size_t index) const;
  /// Of a run that the Frontier holds: 12 hues. run_dashes() tells it from a run or a method of a like hue.
  QColor run(std::size_t index) const;
};

/// In units of the line's width; empty: solid. These distinguish lines of one chart, also without color.
QList<qreal> line_dashes(std::size_t index);

/// The same for a held run: of the ring around its points and of the line that joins them; no two of 36 runs have both
/// hue and dashes alike. The outline of a point itself says where its number comes from.
QList<qreal> run_dashes(std::size_t index);

const Theme& theme_of(ThemeKind kind);
/// Style, palette, fonts and style sheet of the whole program.
void apply_theme(QApplication& application, ThemeKind kind);
/// Background, fonts and colors of a chart; call after its axes are there.
void style_chart(QChart& chart, const Theme& theme);

/// Views that paint with theme colors.
class Themed {
 public:
  virtual ~Themed() = default;
  virtual void set_theme(const Theme& theme) = 0;
};

}  // namespace kvantage
