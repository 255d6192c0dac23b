// How a file of others is read, before it is imported: its first rows, which column is what, and what that makes. The
// file is read again after each change, on a thread of its own.
#pragma once

#include <QComboBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QTableWidget>
#include <map>
#include <optional>
#include <string>

#include "core/imported/read_foreign.h"
#include "ui/session/latest_job.h"

namespace kvantage {

class ImportPreview : public QDialog {
  Q_OBJECT
 public:
  /// `date`: of today.
  ImportPreview(const QString& path, const QString& date, QWidget* parent = nullptr);
  /// Of a key of profile_columns(); null: the file is no table.
  QComboBox* column(const std::string& key);
  QLineEdit& method() { return *method_; }
  QLineEdit& removed() { return *removed_; }
  /// What it makes, or why it cannot be read.
  QString status() const { return status_->text(); }
  QPushButton& import_button() { return *buttons_->button(QDialogButtonBox::Ok); }
  /// Of the latest reading; nothing: it failed, or runs.
  const std::optional<ImportedProfile>& profile() const { return profile_; }

 signals:
  /// Accepted. `how`: it was read.
  void imported(const kvantage::ImportedProfile& profile, const kvantage::ForeignOptions& how);

 private:
  void add_columns(const TextTable& table, QFormLayout& form);
  void show_rows(const TextTable& table);
  void read();
  void take(std::uint64_t number, const Expected<ImportedProfile>& read);

  std::filesystem::path path_;
  std::string date_;
  std::map<std::string, QComboBox*> columns_;
  QLineEdit *dataset_, *method_, *removed_, *model_, *metric_;
  QTableWidget* rows_;
  QLabel* status_;
  QDialogButtonBox* buttons_;
  ForeignOptions how_;  // of the latest reading
  std::optional<ImportedProfile> profile_;
  std::uint64_t number_ = 0;
  LatestJob job_;  // last: its thread ends before anything that it posts to
};

}  // namespace kvantage
