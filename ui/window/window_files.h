// Everything that the window can open: workloads, texts, models, recorded runs, layouts; by menu, by dropping, from the
// recent ones. What a path is decides who takes it; what cannot be opened is said in one line.
#pragma once

#include <QObject>
#include <QSettings>

#include "ui/files/import_dialog.h"
#include "ui/files/method_opener.h"
#include "ui/files/serving_opener.h"
#include "ui/welcome/recent_files.h"
#include "ui/window/window_options.h"

namespace kvantage {

class WindowFiles : public QObject {
  Q_OBJECT
 public:
  WindowFiles(QWidget* window, const WindowOptions& options, QSettings& settings);
  void open(const QString& path);
  /// A model, with these matrix products (ServingSettings::products).
  void open_model(const QString& path, const QString& products);
  /// Of the model that is chosen next; empty: those of the present session. Kept until another is opened otherwise.
  void choose_products(const QString& products) { products_ = products; }
  const QString& products() const { return products_; }
  RecentFiles& recent() { return recent_; }
  /// Null when whoever made the window cannot open another.
  WorkloadOpener* workloads() { return workloads_; }
  WorkloadOpener* models() { return models_; }
  ServingOpener* serving() { return serving_; }
  /// Whether something is being read, to be offered afterwards.
  bool busy() const {
    return (workloads_ && workloads_->busy()) || (models_ && models_->busy()) || (methods_ && methods_->busy()) ||
           (serving_ && serving_->busy());
  }
  void cancel();

 signals:
  void reading(const QString& path);
  /// Some reading ended, whichever way.
  void ended();
  void refused(const QString& reason);
  void workloadChosen(const QString& path);
  void modelChosen(const QString& path);
  void runChosen(const QString& path);
  void layoutChosen(const QString& path);
  void methodChosen(const QString& method, const QString& summary);
  void servingChosen(const QString& path);

 private:
  void open_data(const QString& path);
  WorkloadOpener* make_opener(const CheckWorkload& check, const QString& question,
                              void (WindowFiles::*chosen)(const QString&));
  QWidget* window_;
  RecentFiles recent_;
  QString products_;
  DataImport data_import_;
  WorkloadOpener *workloads_ = nullptr, *models_ = nullptr;
  MethodOpener* methods_ = nullptr;
  ServingOpener* serving_ = nullptr;
};

}  // namespace kvantage
