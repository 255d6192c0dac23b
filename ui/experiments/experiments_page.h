// The mode Experiments: the list of experiments and New at the left; the form, and the results of the chosen one as
// they come, at the right.
#pragma once

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QTabWidget>
#include <QTableView>
#include <QTimer>
#include <QWidget>

#include "ui/experiments/experiment_form.h"
#include "ui/experiments/experiment_results.h"
#include "ui/experiments/experiment_tables.h"
#include "ui/experiments/experiments_model.h"
#include "ui/look/theme.h"
#include "ui/widgets/lazy_refresh.h"

namespace kvantage {

struct DockContext;

class ExperimentsPage : public QWidget, public Themed {
  Q_OBJECT
 public:
  /// `host` null: nothing can be started here. `folder` empty: nothing is kept.
  ExperimentsPage(std::shared_ptr<ExperimentHost> host, const QString& folder, SessionSwitch& session,
                  ExperimentFormModel::ReadMethod read_method = {}, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  /// Tiers, fits and state of the live session may have changed.
  void look_at_session();

  ExperimentsModel& model() { return model_; }
  ExperimentFormModel& form_model() { return form_model_; }
  ExperimentForm& form() { return *form_; }
  ExperimentResults& results() { return *results_; }
  QTableView& list() { return *list_; }
  QTabWidget& tabs() { return *tabs_; }
  QString progress_text() const { return progress_->text(); }
  QPushButton& new_button() { return *new_; }
  QPushButton& pause_button() { return *pause_; }
  QPushButton& resume_button() { return *resume_; }
  QPushButton& cancel_button() { return *cancel_; }
  QPushButton& remove_button() { return *remove_; }
  void choose(const QString& id);
  /// The chosen experiment; empty: none.
  QString chosen() const;
  /// The form with the settings of an experiment.
  void reuse(const QString& id);
  /// The plan of the form as a file; one line of trouble, empty when written.
  QString save_plan(const QString& path) const;

 signals:
  void runsRequested(const QStringList& run_ids);
  void said(const QString& level, const QString& text);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* make_list();
  QWidget* make_page();
  QWidget* make_strip();
  void connect_buttons();
  void submit(const QString& name);
  void ask_where_to_save_plan();
  void ask_to_remove();
  void show_chosen();
  void read_chosen();
  void show_progress();

  SessionSwitch& session_;
  std::shared_ptr<ExperimentHost> host_;
  ExperimentsModel model_;
  ExperimentFormModel form_model_;
  ExperimentTables tables_;
  QTableView* list_;
  QPushButton *new_, *pause_, *resume_, *cancel_, *reuse_, *copy_, *remove_;
  QLabel *title_, *progress_;
  QProgressBar* bar_;
  QTabWidget* tabs_;
  ExperimentForm* form_;
  ExperimentResults* results_;
  LazyRefresh* lazy_ = nullptr;
  QTimer second_;  // the time left between two cells
};

QWidget* make_experiments_page(const DockContext& context);

}  // namespace kvantage
