// Figures of the papers, reproduced on this machine: what each does, the expected shape, its settings, its progress,
// and its results next to the paper's numbers.
#pragma once

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QTabWidget>
#include <QTextBrowser>
#include <QTreeView>
#include <QWidget>

#include "ui/docks/figure_result_view.h"
#include "ui/docks/figure_settings_form.h"
#include "ui/models/figure_job.h"
#include "ui/models/figure_results.h"
#include "ui/models/figures_model.h"
#include "ui/theme.h"
#include "ui/widgets/lazy_refresh.h"

namespace kvantage {

class RunModel;
struct DockContext;

class ReproduceDock : public QWidget, public Themed {
  Q_OBJECT
 public:
  ReproduceDock(std::shared_ptr<FigureRunner> runner, const QString& results_folder, SessionSwitch& session,
                QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  /// Asks the session again whether the live one waits.
  void look_at_session();

  FigureJob& job() { return job_; }
  FigureResults& results() { return results_; }
  FiguresModel& model() { return model_; }
  FigureSettingsForm& form() { return *form_; }
  FigureResultView& result() { return *result_; }
  QTreeView& tree() { return *tree_; }
  QTabWidget& tabs() { return *tabs_; }
  void choose(const QString& figure);
  QString chosen() const;
  void start();
  QString about_text() const { return about_->toPlainText(); }
  QString progress_text() const { return progress_->text(); }
  QString session_text() const { return session_note_->text(); }
  QPushButton& start_button() { return *start_; }
  QPushButton& cancel_button() { return *cancel_; }

 signals:
  void runsRequested(const QStringList& run_ids);
  void said(const QString& level, const QString& text);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* make_list();
  QWidget* make_page();
  QWidget* make_strip();
  void show_figure();
  void show_job();

  SessionSwitch& session_;
  FigureResults results_;
  FigureJob job_;
  FiguresModel model_;
  Theme theme_;
  QTreeView* tree_;
  QLabel* title_;
  QPushButton *start_, *cancel_, *standards_, *copy_;
  QProgressBar* bar_;
  QLabel *progress_, *session_note_;
  QTabWidget* tabs_;
  QTextBrowser* about_;
  FigureSettingsForm* form_;
  FigureResultView* result_;
  LazyRefresh* lazy_ = nullptr;
  QWidget* strip_ = nullptr;
};

QWidget* make_reproduce_dock(const DockContext& context);

}  // namespace kvantage
