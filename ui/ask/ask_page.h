// The mode Ask: one text, one question, up to four ways to keep the text, their answers side by side, and what of the
// text the answer attends to.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QStringListModel>
#include <QTabWidget>
#include <QWidget>
#include <functional>
#include <vector>

#include "ui/ask/ask_column_view.h"
#include "ui/ask/ask_model.h"
#include "ui/ask/own_text_edit.h"
#include "ui/charts/chart_table.h"
#include "ui/session/reading_check.h"
#include "ui/tokens/token_map.h"
#include "ui/widgets/lazy_refresh.h"
#include "ui/widgets/legend_strip.h"
#include "ui/window/window_options.h"

namespace kvantage {

class AskPage : public QWidget, public Themed {
  Q_OBJECT
 public:
  /// `keep`: writes the workload with one more question; without it nothing can be sent to the workload. `text_of`: of
  /// contexts, to be read before anything is asked.
  AskPage(RunModel& run, Asker* asker, KeepQuestion keep = {}, ReadingCheck::TextOf text_of = {},
          QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;

  AskModel& model() { return model_; }
  QComboBox& text_choice() { return *text_; }
  QLineEdit& question() { return *question_; }
  QPushButton& ask_button() { return *ask_; }
  QPushButton& stop_button() { return *stop_; }
  QPushButton& add_button() { return *add_; }
  QPushButton& send_button() { return *send_; }
  OwnTextEdit& own_text() { return *own_; }
  QTabWidget& text_pages() { return *text_pages_; }
  TokenMap& map() { return *map_; }
  QComboBox& shown_weights() { return *weights_; }
  const std::vector<AskColumnView*>& columns() const { return columns_; }
  QString status_text() const { return status_->text(); }
  ChartTable table() const;
  /// Writes the workload with the question into a new folder below this one, and says where.
  void send_to(const QString& folder);

 signals:
  void said(const QString& level, const QString& text);
  /// A workload was written, which can be opened.
  void workloadWritten(const QString& path);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* make_form();
  QWidget* make_text();
  QWidget* make_answers();
  QWidget* make_foot();
  void connect_model();
  void show_choices();
  void fill_texts();
  void make_columns();
  void show_request();
  void show_unasked();
  void show_result();
  void show_answer(std::size_t column);
  void fill_weights(const AskResult* result);
  void show_weights();
  void show_work();
  QString hover_text(std::size_t token) const;
  void ask_where_to_send();

  AskModel model_;
  const KeepQuestion keep_;
  const ReadingCheck::TextOf text_of_;
  Theme theme_;
  QComboBox *text_, *weights_;
  QLineEdit* question_;
  QStringListModel* asked_before_;
  QPushButton *ask_, *stop_, *add_, *send_, *open_file_;
  QTabWidget* text_pages_;
  TokenMap* map_;
  LazyRefresh* choices_;
  OwnTextEdit* own_;
  QSplitter* answers_;
  LegendStrip* legend_;
  QLabel* status_;
  std::vector<AskColumnView*> columns_;
  std::vector<QString> shown_tokens_;
  QString proposed_of_;   // the context that was last chosen; empty: a text of one's own
  QString unasked_;       // the context whose words are shown; empty: a result is
  bool brought_ = false;  // what is attended to is in view
};

}  // namespace kvantage
