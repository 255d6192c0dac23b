// Labels guess whether their text is rich: a name from a file would load pictures and look like a link.
#pragma once

#include <QLabel>

namespace kvantage {

/// A label that shows its text letter by letter.
inline QLabel* plain_label(const QString& text = {}) {
  auto* made = new QLabel;
  made->setTextFormat(Qt::PlainText);
  made->setText(text);
  return made;
}

}  // namespace kvantage
