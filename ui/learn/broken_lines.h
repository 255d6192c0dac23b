// Text of a control that breaks no line by itself, such as a radio button.
#pragma once

#include <QAbstractButton>
#include <QFontMetrics>
#include <QString>

namespace kvantage {

/// With line breaks so that no line is wider than `room` pixels, wherever a language may break one.
QString broken_lines(const QString& text, const QFontMetrics& letters, int room);
/// Sets `text` to a radio button so that it fits `width` pixels with its indicator.
void set_broken_text(QAbstractButton& button, const QString& text, int width);

}  // namespace kvantage
