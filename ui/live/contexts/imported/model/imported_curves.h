// Quality curves that others measured, as imported into this window: the profiles, which of them and which of its data
// sets is shown, and its curves. They enter no plan of the session.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "core/imported/imported_profile.h"
#include "ui/live/contexts/imported/model/kept_imports.h"

namespace kvantage {

class ImportedCurves : public QObject {
  Q_OBJECT
 public:
  struct Curve {
    QString method;
    std::vector<ImportedPoint> points;  // ascending by removed fraction
  };

  using QObject::QObject;
  /// Shows it; one with the same content takes the place of the earlier.
  void add(ImportedProfile profile, const KeptImport& kept = {});
  void remove_shown();
  void show_profile(int index);
  void show_dataset(const QString& dataset);

  /// "scores.csv, 3 data sets", in the order in which they were imported.
  QStringList names() const;
  int shown() const { return shown_; }  // below 0: none
  const ImportedProfile* profile() const;
  QStringList datasets() const;  // of the shown one
  const QString& dataset() const { return dataset_; }
  /// Of the shown data set, by method; without the uncompressed quality.
  std::vector<Curve> curves() const;
  std::optional<double> uncompressed() const;
  /// Of those that came from a file, for the next start; in the order of names().
  std::vector<KeptImport> kept() const;
  /// "imported from scores.csv (digest 1a2b3c4d, 2026-11-29), Llama-3.1-8B"; empty: none is shown.
  QString source() const;

 signals:
  void changed();

 private:
  struct Import {
    ImportedProfile profile;
    KeptImport kept;
  };
  std::vector<Import> imports_;
  int shown_ = -1;
  QString dataset_;
};

}  // namespace kvantage
