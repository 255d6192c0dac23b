// Saved runs: found, tagged, compared, exported, replayed, deleted.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableView>
#include <QTimer>
#include <QWidget>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "ui/charts/chart_table.h"
#include "ui/look/theme.h"
#include "ui/runs/compare_page.h"
#include "ui/runs/metrics_page.h"
#include "ui/runs/model/run_comparison_model.h"
#include "ui/runs/model/run_files.h"
#include "ui/runs/model/runs_filter.h"
#include "ui/runs/model/runs_model.h"
#include "ui/widgets/empty_note.h"
#include "ui/widgets/work_line.h"

class QAction;
class QMenu;

namespace kvantage {

class HeldRunsModel;
class RunDelegate;

class RunsDock : public QWidget, public Themed {
  Q_OBJECT
 public:
  static constexpr int refresh_ms = 3000;

  /// `library` null: the window was opened without a database, which is said. Reports are Parquet, too, where there is
  /// an `encode`.
  explicit RunsDock(const std::shared_ptr<RunLibrary>& library, const EncodeTable& encode = {},
                    QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  /// The run that this window records.
  void set_present_run(const QString& run_id) { model_.set_present_run(run_id); }

  /// Runs can be pinned to the Frontier, and pinned ones have their color. `held` outlives the dock.
  void set_held(HeldRunsModel& held);

  RunsModel& model() { return model_; }
  RunsFilter& filter() { return filter_; }
  RunComparisonModel& comparison() { return comparison_; }
  RunMetricsModel& metrics() { return metrics_; }
  RunFiles& files() { return files_; }
  QTableView& table() { return *table_; }
  ComparePage& compare_page() { return *compare_; }
  MetricsPage& metrics_page() { return *metrics_page_; }
  /// The rows shown, with their metrics as numbers and every move of a setting: what is exported.
  ChartTable as_table() const;
  QStringList chosen() const;
  void choose(const QStringList& run_ids);
  /// Chooses them whatever is filtered and brings the first into view, as soon as they are listed.
  void show_runs(const QStringList& run_ids);
  void show_run(const QString& run_id) { show_runs({run_id}); }
  /// The same, and its metrics as its report has them; for a running run, those so far, marked as such.
  void open_run(const QString& run_id);
  void compare_chosen();
  /// Reading runs to compare them or to show their metrics.
  WorkLine& reading_work() { return *reading_work_; }
  bool comparing() const { return pages_->currentWidget() == compare_; }
  void show_metrics_of_chosen();
  bool showing_metrics() const { return pages_->currentWidget() == metrics_page_; }
  /// What a right click offers for the chosen runs.
  QMenu* make_menu();
  // Each opens its question or its choice of a file or folder, about the chosen runs.
  void ask_to_delete();
  void ask_for_report();
  void ask_for_page();
  void ask_for_report_of_comparison();
  void ask_for_export();
  void ask_for_import();
  void ask_for_replay_file();

 signals:
  /// This run shall be gone through again.
  void replayRequested(const QString& run_id);
  void replayFileRequested(const QString& path);
  /// level as in Banner.
  void said(const QString& level, const QString& text);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* make_list_page();
  void make_actions();
  QWidget* make_work_strip();
  void connect_models();
  void show_choices();
  void show_buttons();
  void show_awaited();
  void ask_for_report_of(const QStringList& ids, std::optional<RunFiles::Against> against);
  QString report_tip() const;
  void show_opened();
  QString empty_text() const;

  RunsModel model_;
  RunsFilter filter_;
  RunComparisonModel comparison_;
  RunMetricsModel metrics_;
  RunFiles files_;
  QStackedWidget* pages_;
  QTableView* table_;
  EmptyNote* empty_ = nullptr;
  QLineEdit* text_;
  QComboBox *workload_, *policy_;
  QPushButton *compare_button_ = nullptr, *figures_button_ = nullptr, *replay_button_ = nullptr,
              *report_button_ = nullptr;
  QWidget* strip_ = nullptr;
  QLabel* count_ = nullptr;
  WorkLine *file_work_ = nullptr, *reading_work_ = nullptr;
  ComparePage* compare_;
  MetricsPage* metrics_page_;
  RunDelegate* delegate_ = nullptr;
  std::vector<std::pair<QAction*, std::function<bool(qsizetype)>>> actions_;  // possible with that many chosen runs?
  QTimer timer_;
  QStringList awaited_;   // to be chosen once they are listed
  bool opening_ = false;  // and their metrics shown
  Theme theme_;
  bool fitted_ = false;
};

}  // namespace kvantage
