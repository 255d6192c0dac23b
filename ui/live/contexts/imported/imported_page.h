// Sensitivity, third kind: quality curves that others measured. A button or a drop imports a file or a folder; what is
// shown says where it is from, and enters no plan of the session. Imports stay for the next start, in the settings
// file.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QWidget>
#include <functional>
#include <memory>
#include <vector>

#include "ui/live/contexts/imported/import_preview.h"
#include "ui/live/contexts/imported/imported_chart.h"
#include "ui/session/latest_job.h"

namespace kvantage {

class ImportedPage : public QWidget, public Themed {
  Q_OBJECT
 public:
  explicit ImportedPage(QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override { chart_->set_theme(theme); }
  ImportedCurves& curves() { return curves_; }
  ImportedChart& chart() { return *chart_; }
  QString source() const { return source_->text(); }
  /// Opens the preview of a file or folder; it imports when it is accepted.
  ImportPreview* preview(const QString& path);
  using Say = std::function<void(const QString& level, const QString& text)>;
  /// Reads those of the last time again, on a thread of its own, and keeps later ones. `say` gets what is gone or
  /// changed. `settings` outlive the page.
  void keep_in(QSettings& settings, const Say& say);

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void choose(bool folder);
  void show_choices();
  void take_again(const std::vector<ImportReadAgain>& imports, const Say& say);
  void keep(QSettings& settings);

  ImportedCurves curves_;
  std::vector<KeptImport> pending_;  // of the last time, not read yet
  QString kept_;                     // as the settings file has it
  QComboBox *profile_, *dataset_;
  QPushButton *file_, *folder_, *remove_;
  QLabel* source_;
  ImportedChart* chart_;
  std::unique_ptr<LatestJob> reader_;  // last: its thread ends before anything that it posts to; null: nothing to read
};

}  // namespace kvantage
