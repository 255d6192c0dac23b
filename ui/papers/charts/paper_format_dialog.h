// Asks for the format of a picture for a paper: width, font and text size.
#pragma once

#include <QComboBox>
#include <QDialog>
#include <functional>

#include "ui/papers/charts/paper_format.h"

namespace kvantage {

class PaperFormatDialog : public QDialog {
  Q_OBJECT
 public:
  /// Proposes the format that was chosen last. Deletes itself when it is closed.
  explicit PaperFormatDialog(QWidget* parent = nullptr);
  PaperFormat format() const;
  QComboBox& width_choice() { return *width_; }
  QComboBox& font_choice() { return *font_; }
  QComboBox& size_choice() { return *size_; }

 signals:
  void chosen(const kvantage::PaperFormat& format);

 private:
  QComboBox *width_, *font_, *size_;
};

/// `chosen` is called with the format, once, or never; the window is not blocked.
void ask_paper_format(QWidget* parent, std::function<void(const PaperFormat& format)> chosen);

}  // namespace kvantage
