// Theme and size of text of the window, as the user chose them; remembered.
#pragma once

#include <QObject>
#include <QSettings>
#include <functional>

#include "ui/look/theme.h"

namespace kvantage {

class WindowLooks : public QObject {
  Q_OBJECT
 public:
  /// `presenting`: a size of text that is set meanwhile is not remembered: a talk has its own.
  WindowLooks(QSettings& kept, std::function<bool()> presenting, QObject* parent);
  /// Size of text and theme as remembered, before any widget of the window is made: a widget that gets its first style
  /// sheet keeps the font that it was made in.
  void begin();
  /// The same, for whoever shows colors and is connected by now.
  void restore();
  ThemeKind kind() const { return kind_; }
  const Theme& theme() const { return theme_of(kind_); }
  void set_theme(ThemeKind kind);
  /// In percent of the system's, 80 to 200.
  void set_font_size(int percent);

 signals:
  /// Also when the size of text has changed: charts keep the fonts that they were given.
  void themeChanged(const kvantage::Theme& theme);

 private:
  int kept_percent() const;
  ThemeKind kept_kind() const;

  QSettings& kept_;
  std::function<bool()> presenting_;
  ThemeKind kind_ = ThemeKind::light;
};

}  // namespace kvantage
