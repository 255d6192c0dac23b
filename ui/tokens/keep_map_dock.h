// The keep map: a context's text with the tokens that one or two methods keep of it, while a hand moves the removed
// fraction, and what is answered from them beside the answer over all tokens.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSlider>
#include <QSplitter>
#include <QStackedWidget>
#include <QTextBrowser>
#include <array>

#include "ui/charts/chart_table.h"
#include "ui/tokens/head_grid.h"
#include "ui/tokens/model/keep_map_model.h"
#include "ui/tokens/token_map.h"
#include "ui/widgets/lazy_refresh.h"
#include "ui/widgets/legend_strip.h"

namespace kvantage {

class KeepMapDock : public QWidget, public Themed {
  Q_OBJECT
 public:
  KeepMapDock(RunModel& run, Inspector* inspector, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  KeepMapModel& model() { return model_; }
  TokenMap& map(std::size_t form) { return *sides_[form].map; }
  HeadGrid& grid(std::size_t form) { return *sides_[form].grid; }
  /// That what is shown was computed now, for a recorded run; empty for the live one.
  QString provenance() const { return provenance_->text(); }
  QSlider& fraction() { return *fraction_; }
  QComboBox& context() { return *context_; }
  QComboBox& method(std::size_t form) { return *methods_[form]; }
  QComboBox& question() { return *question_; }
  QComboBox& layer() { return *layer_; }
  QComboBox& kv_head() { return *kv_head_; }
  QString answers_text() const { return answers_->toPlainText(); }
  QString answers_html() const { return answers_->toHtml(); }
  QString empty_text() const { return pages_->currentIndex() == 0 ? empty_->text() : QString(); }
  ChartTable table() const;
  /// A row for each layer and KV head: the share of tokens that it keeps.
  ChartTable grid_table() const;
  void flush();

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Side {
    QWidget* page = nullptr;
    QLabel* title = nullptr;
    TokenMap* map = nullptr;
    HeadGrid* grid = nullptr;
  };
  QWidget* make_choices();
  QWidget* make_view();
  Side make_side(std::size_t form);
  void connect_choices();
  void fill_lists();    // what can be chosen
  void fill_choices();  // what is
  void fill_questions();
  void fill_views();
  void show_result();
  void show_weights();
  void show_grids();
  void show_answers();
  void show_work();
  void show_legend();
  void take_methods();

  RunModel& run_;
  KeepMapModel model_;
  Theme theme_;
  QStackedWidget* pages_;
  QLabel *empty_, *removed_, *work_, *provenance_;
  QComboBox *context_, *question_, *layer_, *kv_head_;
  std::array<QComboBox*, 2> methods_{};
  QSlider* fraction_;
  QSplitter *maps_, *split_;
  std::array<Side, 2> sides_;
  QTextBrowser* answers_;
  LegendStrip* legend_;
  LazyRefresh *lazy_result_, *lazy_weights_;
  std::vector<QString> shown_tokens_;
  bool filling_ = false;
};

}  // namespace kvantage
