// A data set that was dropped on the window: its fields, its first entry, and which field is what. Reading and
// importing come from outside and run on a thread of their own.
#pragma once

#include <QDialog>
#include <functional>
#include <map>

#include "core/workload/datasets/data_preview.h"

class QComboBox;
class QLabel;
class QPushButton;
class QTableWidget;
class QThread;
class QVBoxLayout;

namespace kvantage {

/// What the window can do with files of data sets; without it, they are refused with the command that imports them.
struct DataImport {
  std::function<Expected<DataPreview>(const QString& path)> preview = {};
  /// Returns the folder of the workload.
  std::function<Expected<QString>(const QString& path, const FieldMap& map, LongContextAction action)> import = {};
  explicit operator bool() const { return preview && import; }
};

class ImportDialog : public QDialog {
  Q_OBJECT
 public:
  ImportDialog(const QString& path, DataPreview preview, DataImport host, QWidget* parent);
  ~ImportDialog() override;
  /// As the boxes have it.
  FieldMap map() const;
  /// "No field is chosen for: question"; empty: it can be imported.
  QString missing() const;

 signals:
  void imported(const QString& folder);

 private:
  void add_fields(QVBoxLayout& page);
  void add_preview(QVBoxLayout& page);
  void show_missing();
  void begin();
  void show_reason(const QString& reason);

  const QString path_;
  const DataPreview preview_;
  const DataImport host_;
  std::map<std::string, QComboBox*> boxes_;  // by key
  QComboBox* lengths_ = nullptr;
  QTableWidget* table_ = nullptr;
  QLabel *missing_ = nullptr, *reason_ = nullptr;
  QPushButton* import_ = nullptr;
  QThread* thread_ = nullptr;
};

/// Reads the file on a thread, then shows the dialog; `refused` gets why it cannot be read. `imported` gets the folder;
/// `read` is called when the dialog shows.
void import_data(const QString& path, const DataImport& host, QWidget* parent,
                 const std::function<void(const QString& reason)>& refused,
                 const std::function<void(const QString& folder)>& imported, const std::function<void()>& read);

}  // namespace kvantage
