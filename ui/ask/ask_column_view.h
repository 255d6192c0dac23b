// One column of Ask: how the text is kept, what that costs, and the answer as it comes.
#pragma once

#include <QColor>
#include <QComboBox>
#include <QLabel>
#include <QSpinBox>
#include <QTextBrowser>
#include <QToolButton>
#include <QWidget>

#include "ui/ask/ask_model.h"
#include "ui/look/theme.h"

namespace kvantage {

class AskColumnView : public QWidget {
  Q_OBJECT
 public:
  AskColumnView(AskModel& model, std::size_t column, QWidget* parent = nullptr);
  /// What can be chosen and what is; of the model.
  void fill();
  /// `answer` null: nothing has been asked of this column. `result`: that it is a part of. Of an answer that it shows
  /// already, only what is new is written.
  void show_answer(const AskAnswer* answer, const AskResult* result, const Theme& theme);
  QComboBox& method() { return *method_; }
  QSpinBox& removed() { return *removed_; }
  QComboBox& tier() { return *tier_; }
  QToolButton& remove_button() { return *remove_; }
  QString costs_text() const { return costs_->text(); }
  QString answer_text() const { return answer_->toPlainText(); }
  QString answer_html() const { return answer_->toHtml(); }

 private:
  /// What is written in answer_.
  struct Written {
    std::uint64_t ticket = 0, begun = 0;  // of which result
    QColor parting;                       // color of tokens that part
    std::size_t tokens = 0;
    int last_token = 0;     // where the last of them begins, whose text may grow
    bool finished = false;  // with what follows the answer
  };
  QWidget* make_answer();
  void take();
  QString costs_of(const AskAnswer& answer, const AskResult* result) const;
  void write_answer(const AskAnswer& answer, const AskResult* result, const Theme& theme);

  AskModel& model_;
  const std::size_t column_;
  QComboBox *method_, *tier_;
  QSpinBox* removed_;
  QToolButton* remove_;
  QLabel* costs_;
  QTextBrowser* answer_;
  Written written_;
  bool filling_ = false;
};

}  // namespace kvantage
