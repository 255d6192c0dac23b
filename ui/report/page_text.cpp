#include "ui/report/page_text.h"

#include <QFontMetricsF>
#include <QStringList>
#include <QTextLayout>
#include <algorithm>
#include <map>
#include <tuple>

#include "core/base/json_fields.h"
#include "core/base/shown_text.h"

namespace kvantage::inline report_pages {
namespace {

// Finding a font takes longer than measuring a cell with it.
const QFontMetricsF& metrics_of(const TextLook& look) {
  thread_local std::map<std::tuple<int, bool, bool>, QFontMetricsF> known;
  const std::tuple key(look.size, look.bold, look.fixed);
  const auto found = known.find(key);
  return found != known.end() ? found->second : known.emplace(key, QFontMetricsF(page_font(look))).first->second;
}

}  // namespace

QFont page_font(const TextLook& look) {
  // Of a family, so that nothing of the application's font is in it.
  QFont font(look.fixed ? QStringList{QStringLiteral("DejaVu Sans Mono"), QStringLiteral("Liberation Mono")}
                        : QStringList{QStringLiteral("DejaVu Sans"), QStringLiteral("Liberation Sans")});
  font.setStyleHint(look.fixed ? QFont::Monospace : QFont::SansSerif);
  font.setHintingPreference(QFont::PreferNoHinting);
  font.setWeight(look.bold ? QFont::Bold : QFont::Normal);
  font.setPixelSize(look.size);
  font.setLetterSpacing(QFont::AbsoluteSpacing, 0.02);  // no ligatures: readers search for words
  return font;
}

QString page_line(const std::string& text) { return QString::fromStdString(shown_line(valid_utf8(text))); }

double text_width(const QString& text, const TextLook& look) { return metrics_of(look).horizontalAdvance(text); }

double line_height(const TextLook& look) { return metrics_of(look).height(); }
double line_ascent(const TextLook& look) { return metrics_of(look).ascent(); }

std::vector<QString> wrapped_lines(const QString& text, const TextLook& look, double width) {
  if (text_width(text, look) <= width) return {text};
  QTextLayout layout(text, page_font(look));
  QTextOption option;
  option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  layout.setTextOption(option);
  layout.beginLayout();
  std::vector<QString> lines;
  for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
    line.setLineWidth(std::max(width, 1.0));
    lines.push_back(text.mid(line.textStart(), line.textLength()).trimmed());
  }
  layout.endLayout();
  if (lines.empty()) lines.emplace_back();
  return lines;
}

double widest_word(const QString& text, const TextLook& look) {
  double widest = 0;
  for (const QString& word : text.split(QLatin1Char(' '))) widest = std::max(widest, text_width(word, look));
  return widest;
}

}  // namespace kvantage::inline report_pages
