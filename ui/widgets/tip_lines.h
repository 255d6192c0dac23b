// The tool tip of a chart in three lines: what it is, its keys, and what the mouse does. Whoever adds a gesture adds to
// its line.
#pragma once

#include <QStringList>
#include <QVariant>
#include <QWidget>
#include <array>

namespace kvantage {

enum class TipLine { what, keys, mouse };

namespace tip_lines {

inline constexpr std::array names{"kvantage.tip.what", "kvantage.tip.keys", "kvantage.tip.mouse"};
inline const char* name_of(TipLine line) { return names[static_cast<std::size_t>(line)]; }

}  // namespace tip_lines

/// In place of what the line said. The tip that a widget has before the first of these is what it is.
inline void set_tip_line(QWidget& widget, TipLine line, const QString& text) {
  if (!widget.property(tip_lines::name_of(TipLine::what)).isValid())
    widget.setProperty(tip_lines::name_of(TipLine::what), widget.toolTip());
  widget.setProperty(tip_lines::name_of(line), text);
  QStringList shown;
  for (const char* name : tip_lines::names)
    if (const QString one = widget.property(name).toString(); !one.isEmpty()) shown << one;
  widget.setToolTip(shown.join('\n'));
}

/// One more sentence at the end of the line.
inline void extend_tip_line(QWidget& widget, TipLine line, const QString& sentence) {
  set_tip_line(widget, line, (widget.property(tip_lines::name_of(line)).toString() + ' ' + sentence).trimmed());
}

}  // namespace kvantage
