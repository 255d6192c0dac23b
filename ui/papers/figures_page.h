// Figures of the papers, reproduced on this machine, on a page of the window's own size: what each does, the expected
// shape, its settings, its progress, and its results next to the paper's numbers; for each paper all that it reports,
// with the verdicts.
#pragma once

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QTextBrowser>
#include <QTreeView>
#include <QWidget>

#include "ui/look/theme.h"
#include "ui/papers/figure_result_view.h"
#include "ui/papers/figure_settings_form.h"
#include "ui/papers/model/claims_model.h"
#include "ui/papers/model/figure_job.h"
#include "ui/papers/model/figure_queue.h"
#include "ui/papers/model/figure_results.h"
#include "ui/papers/model/figures_model.h"
#include "ui/widgets/lazy_refresh.h"

class QMenu;

namespace kvantage {

class FiguresPage : public QWidget, public Themed {
  Q_OBJECT
 public:
  FiguresPage(std::shared_ptr<FigureRunner> runner, const QString& results_folder, SessionSwitch& session,
              std::vector<PaperClaim> claims = {}, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  /// Asks the session again whether the live one waits.
  void look_at_session();

  FigureJob& job() { return job_; }
  FigureQueue& queue() { return queue_; }
  FigureResults& results() { return results_; }
  FiguresModel& model() { return model_; }
  FigureSettingsForm& form() { return *form_; }
  FigureResultView& result() { return *result_; }
  QTreeView& tree() { return *tree_; }
  /// About, Settings, Result or, for a paper, Claims; beside a wide result, without it.
  QTabWidget& tabs() { return *tabs_; }
  ClaimsModel& claims() { return *claims_; }
  QTableView& claims_view() { return *claims_view_; }
  void choose(const QString& figure);
  QString chosen() const;
  void start();
  /// Figures with their default settings, one after the other: those of one paper, or of all where it is empty; views
  /// of the same runs once.
  void start_several(const QString& paper, bool only_missing);
  /// Takes over results of a file of `reproduce --json`, or of a folder of `reproduce all`.
  void import(const QString& path);
  QString about_text() const { return about_->toPlainText(); }
  QString progress_text() const { return progress_->text(); }
  QString session_text() const { return session_note_->text(); }
  QPushButton& start_button() { return *start_; }
  QPushButton& cancel_button() { return *cancel_; }
  QPushButton& back_button() { return *back_; }

 signals:
  void runsRequested(const QStringList& run_ids);
  /// To what the window showed before.
  void backRequested();
  void said(const QString& level, const QString& text);

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* make_list();
  QWidget* make_list_buttons();
  QString paper_of_choice() const;
  void ask_to_import(bool folder);
  QWidget* make_page(std::vector<PaperClaim> claims);
  QWidget* make_strip();
  QWidget* make_claims(std::vector<PaperClaim> claims);
  void show_result();
  void show_paper(const Paper& paper);
  void show_figure();
  void show_job();

  SessionSwitch& session_;
  FigureResults results_;
  FigureJob job_;
  FigureQueue queue_;
  FiguresModel model_;
  Theme theme_;
  QTreeView* tree_;
  QLabel* title_;
  QPushButton *back_, *start_, *cancel_, *standards_, *copy_;
  QProgressBar* bar_;
  QLabel *progress_, *session_note_;
  QSplitter* sides_;
  QTabWidget* tabs_;
  QTextBrowser* about_;
  FigureSettingsForm* form_;
  FigureResultView* result_;
  ClaimsModel* claims_ = nullptr;
  QTableView* claims_view_ = nullptr;
  QMenu* several_ = nullptr;
  LazyRefresh* lazy_ = nullptr;
  QWidget* strip_ = nullptr;
};

}  // namespace kvantage
