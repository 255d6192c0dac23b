// Results of figures that were made in this window or in one before: a JSON file each, in one folder. Broken files are
// left alone and said.
#pragma once

#include <QDateTime>
#include <QObject>
#include <QString>
#include <utility>
#include <vector>

#include "core/report/figure.h"

namespace kvantage {

/// Options that were given, with their values, in the order of the figure's settings.
using FigureOptions = std::vector<std::pair<QString, QString>>;

struct KeptFigure {
  QString file;  // its name in the folder
  QDateTime started;
  double seconds = 0;  // from start to end
  FigureOptions options;
  FigureResult result;
};

class FigureResults : public QObject {
  Q_OBJECT
 public:
  /// `folder` empty: results live as long as the window.
  explicit FigureResults(QString folder, QObject* parent = nullptr);

  /// Reads the folder, the first time only.
  void load();
  /// Of one figure, the newest first.
  std::vector<const KeptFigure*> of(const QString& figure) const;
  const KeptFigure* newest(const QString& figure) const;
  const KeptFigure* find(const QString& file) const;
  void keep(KeptFigure made);
  /// Takes the file away for good.
  void remove(const QString& file);

 signals:
  void changed(const QString& figure);
  /// One line: what could not be read or written, why, how to fix it.
  void failed(const QString& message);

 private:
  QString folder_;
  std::vector<KeptFigure> kept_;  // oldest first
  bool loaded_ = false;
};

}  // namespace kvantage
