// A small button of a row that goes through moments: back, play, on, to the next mark.
#pragma once

#include <QBoxLayout>
#include <QToolButton>

namespace kvantage {

/// At the end of `row`; the tip is its accessible name as well, as its text is a sign.
inline QToolButton* add_transport_button(QBoxLayout& row, const QString& text, const QString& tip) {
  auto* made = new QToolButton;
  made->setText(text);
  made->setToolTip(tip);
  made->setAccessibleName(tip);
  made->setFocusPolicy(Qt::TabFocus);
  made->setProperty("framed", true);
  row.addWidget(made);
  return made;
}

}  // namespace kvantage
