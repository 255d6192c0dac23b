// The push buttons that stand in a row above a list.
#pragma once

#include <QBoxLayout>
#include <QPushButton>

namespace kvantage {

/// A button at the end of `row`; its text is its accessible name, `tip` says what it does.
inline QPushButton* add_row_button(QBoxLayout& row, const QString& text, const QString& tip) {
  auto* made = new QPushButton(text);
  made->setToolTip(tip);
  made->setAccessibleName(text);
  made->setAutoDefault(false);
  row.addWidget(made);
  return made;
}

}  // namespace kvantage
