#include "ui/papers/charts/fitted_names.h"

#include <QHash>
#include <algorithm>

namespace kvantage {
namespace {

/// At the space that leaves the shorter lines; a single word as it is.
QString in_two_lines(const QString& name, const QFontMetricsF& metrics) {
  QString best = name;
  double least = metrics.horizontalAdvance(name);
  for (qsizetype at = name.indexOf(' '); at > 0; at = name.indexOf(' ', at + 1)) {
    const QString first = name.left(at), second = name.mid(at + 1);
    const double wide = std::max(metrics.horizontalAdvance(first), metrics.horizontalAdvance(second));
    if (wide >= least) continue;
    least = wide;
    best = first + '\n' + second;
  }
  return best;
}

double widest_line(const QString& name, const QFontMetricsF& metrics) {
  double widest = 0;
  for (const QString& line : name.split('\n')) widest = std::max(widest, metrics.horizontalAdvance(line));
  return widest;
}

double widest_of(const QStringList& names, const ShownPlaces& part, const QFontMetricsF& metrics) {
  double widest = 0;
  for (const QString& name : names.mid(part.first, part.count)) widest = std::max(widest, widest_line(name, metrics));
  return widest;
}

/// Each line by itself. elidedText() shortens a text that fits exactly.
QString shortened(const QString& name, const QFontMetricsF& metrics, double room) {
  QStringList lines = name.split('\n');
  for (QString& line : lines)
    if (metrics.horizontalAdvance(line) > room) line = metrics.elidedText(line, Qt::ElideRight, std::max(room, 0.0));
  return lines.join('\n');
}

/// Longer names may be cut, but not below the length of these.
double lacking_of(const QStringList& names, const ShownPlaces& part, const QFontMetricsF& metrics, double room) {
  const double most = metrics.horizontalAdvance(QString(whole_letters, 'n'));
  return std::max(0.0, std::min(widest_of(names, part, metrics), most) - room);
}

}  // namespace

FittedNames fitted_names(const QStringList& whole, const ShownPlaces& part, const QFontMetricsF& metrics,
                         const QSizeF& room) {
  const double line = metrics.lineSpacing();
  if (widest_of(whole, part, metrics) <= room.width()) return {whole, true, 0};
  QStringList folded;
  for (const QString& name : whole) folded << in_two_lines(name, metrics);
  if (widest_of(folded, part, metrics) <= room.width() && 2 * line <= room.height()) return {folded, true, 0};
  if (widest_of(whole, part, metrics) <= room.height()) return {whole, false, 0};
  const QStringList& upright = 2 * line <= room.width() ? folded : whole;
  FittedNames fitted{{}, false, line <= room.width() ? lacking_of(upright, part, metrics, room.height()) : 0};
  for (const QString& name : upright) fitted.names << shortened(name, metrics, room.height());
  return fitted;
}

QStringList distinct_labels(const QStringList& names) {
  QStringList shown;
  QHash<QString, int> alike;
  for (const QString& name : names) {
    const int number = ++alike[name];
    QString label = (number == 1 ? name : QStringLiteral("%1 (%2)").arg(name).arg(number)).toHtmlEscaped();
    const bool folds = label.contains('\n');
    label.replace('\n', QStringLiteral("<br>"));
    shown << (folds ? QStringLiteral("<div align=\"center\">%1</div>").arg(label) : label);
  }
  return shown;
}

}  // namespace kvantage
