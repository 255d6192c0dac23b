// What a view wants of the window or of another view: it emits the signal, and whoever can do it is connected. So views
// know neither each other nor the window. One for the window; it outlives all views.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>

#include "ui/widgets/banner.h"

namespace kvantage {

class ViewLinks : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

 signals:
  /// A message with a button; level as in Banner.
  void offered(const QString& level, const QString& text, const kvantage::BannerAction& action);
  /// A dock to the front, or a mode, by its id in its registry.
  void viewWanted(const QString& id);
  /// These recorded runs in the list of runs.
  void runsWanted(const QStringList& run_ids);
  /// One of them, with its metrics.
  void runWanted(const QString& run_id);
  /// A run file, imported.
  void runFileWanted(const QString& path);
  /// A workload, text, model, run file or layout, opened as if it were dropped on the window.
  void pathWanted(const QString& path);
  /// A model, opened with these matrix products (ServingSettings::products).
  void modelWanted(const QString& path, const QString& products);
};

}  // namespace kvantage
