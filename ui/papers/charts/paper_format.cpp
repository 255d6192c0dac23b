#include "ui/papers/charts/paper_format.h"

#include <QFileInfo>
#include <QFontDatabase>
#include <QPointer>
#include <QSettings>
#include <algorithm>

namespace kvantage {
namespace {

struct KeptPaperFormat {
  PaperFormat format;
  QPointer<QSettings> settings;
  QString key;
};

KeptPaperFormat& kept_paper_format() {
  static KeptPaperFormat kept;
  return kept;
}

bool is_paper_size(double points) {
  return points == 0 || std::ranges::find(paper_font_points, points) != paper_font_points.end();
}

}  // namespace

double paper_width_mm(PaperWidth width) { return width == PaperWidth::one_column ? 85 : 178; }

QStringList paper_font_families() {
  static const QStringList of_papers{
      "Times New Roman",    "Liberation Serif", "Nimbus Roman",     "TeX Gyre Termes",   "STIX Two Text",
      "Latin Modern Roman", "CMU Serif",        "Libertinus Serif", "Linux Libertine O", "Arial",
      "Helvetica",          "Liberation Sans",  "Nimbus Sans",      "TeX Gyre Heros",    "DejaVu Serif",
      "DejaVu Sans"};
  QStringList others = QFontDatabase::families(), families;
  others.removeIf([](const QString& family) {
    return QFontDatabase::isPrivateFamily(family) || !QFontDatabase::isSmoothlyScalable(family);
  });
  for (const QString& family : of_papers)
    if (others.removeOne(family)) families << family;
  return families + others;
}

QString paper_kind_of(const QString& path) {
  const QString ending = QFileInfo(path).suffix().toLower();
  return ending == QLatin1String("svg") || ending == QLatin1String("png") ? ending : QStringLiteral("pdf");
}

PaperFormat last_paper_format() { return kept_paper_format().format; }

void set_last_paper_format(const PaperFormat& format) {
  KeptPaperFormat& kept = kept_paper_format();
  if (format == kept.format) return;
  kept.format = format;
  if (!kept.settings) return;
  kept.settings->setValue(kept.key, QStringList{format.width == PaperWidth::one_column ? "1" : "2",
                                                QString::number(format.font.points), format.font.family});
}

void keep_paper_format_in(QSettings& settings, const QString& key) {
  KeptPaperFormat& kept = kept_paper_format();
  kept.settings = &settings;
  kept.key = key;
  const QStringList parts = settings.value(key).toStringList();
  if (parts.size() != 3 || (parts[0] != QLatin1String("1") && parts[0] != QLatin1String("2"))) return;
  bool is_number = false;
  const double points = parts[1].toDouble(&is_number);
  if (!is_number || !is_paper_size(points)) return;
  kept.format = {parts[0] == QLatin1String("1") ? PaperWidth::one_column : PaperWidth::two_columns, {parts[2], points}};
}

}  // namespace kvantage
