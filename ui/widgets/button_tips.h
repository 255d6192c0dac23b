// Tool tips of the buttons that a dialog has from Qt: Cancel, Close, OK, Save.
#pragma once

#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QMessageBox>
#include <QPushButton>

namespace kvantage {

struct ButtonTips {
  Q_DECLARE_TR_FUNCTIONS(ButtonTips)
};

/// Those that have no tip yet get one. Buttons that were added with a text of their own need their own.
inline void add_button_tips(QDialogButtonBox& buttons) {
  const std::pair<QDialogButtonBox::StandardButton, QString> tips[] = {
      {QDialogButtonBox::Cancel, ButtonTips::tr("Close this; nothing changes (Esc)")},
      {QDialogButtonBox::Close, ButtonTips::tr("Close this window (Esc)")},
      {QDialogButtonBox::Ok, ButtonTips::tr("Accept and close this (Enter)")},
      {QDialogButtonBox::Save, ButtonTips::tr("Choose a file to save to")}};
  for (const auto& [which, tip] : tips)
    if (QPushButton* button = buttons.button(which); button != nullptr && button->toolTip().isEmpty())
      button->setToolTip(tip);
}

/// Of a question in a box; after all its buttons were added.
inline void add_button_tips(QMessageBox& box) {
  for (QDialogButtonBox* buttons : box.findChildren<QDialogButtonBox*>()) add_button_tips(*buttons);
}

}  // namespace kvantage
