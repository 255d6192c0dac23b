#include "ui/learn/broken_lines.h"

#include <QStyle>
#include <QTextBoundaryFinder>

namespace kvantage {

QString broken_lines(const QString& text, const QFontMetrics& letters, int room) {
  QTextBoundaryFinder places(QTextBoundaryFinder::Line, text);  // Chinese has no spaces
  QString broken, line;
  for (qsizetype from = 0, to = 0; (to = places.toNextBoundary()) > from; from = to) {
    const QString part = text.mid(from, to - from);
    if (!line.isEmpty() && letters.horizontalAdvance((line + part).trimmed()) > room) {
      broken += line.trimmed() + '\n';
      line = part;
    } else {
      line += part;
    }
  }
  return broken + line;
}

void set_broken_text(QAbstractButton& button, const QString& text, int width) {
  const int room = width - button.style()->pixelMetric(QStyle::PM_ExclusiveIndicatorWidth) -
                   button.style()->pixelMetric(QStyle::PM_RadioButtonLabelSpacing) - 8;
  const QString broken = broken_lines(text, button.fontMetrics(), room);
  if (broken != button.text()) button.setText(broken);
}

}  // namespace kvantage
