#include "ui/text/core_text.h"

#include <QCoreApplication>
#include <QHash>
#include <QMutex>
#include <QMutexLocker>
#include <QRegularExpression>
#include <QStringList>
#include <algorithm>
#include <optional>
#include <vector>

namespace kvantage {
namespace {

// A row with %1, %2 … is a pattern: core puts values there.
constexpr const char* catalog[] = {
#include "ui/text/core_text_columns.inl"
#include "ui/text/core_text_errors.inl"
#include "ui/text/core_text_figures.inl"
#include "ui/text/core_text_figures_kvpr.inl"
#include "ui/text/core_text_metrics.inl"
#include "ui/text/core_text_policies.inl"
#include "ui/text/core_text_reasons.inl"
#include "ui/text/core_text_regimes.inl"
#include "ui/text/core_text_results.inl"
#include "ui/text/core_text_runs.inl"
#include "ui/text/core_text_serving.inl"
};

constexpr int max_depth = 8;                // of arguments within arguments
constexpr qsizetype max_remembered = 4096;  // texts; a table shows a few hundred

QString translation_of(const char* row) { return QCoreApplication::translate("core", row); }

const QRegularExpression& argument_form() {
  static const QRegularExpression form(QStringLiteral("%(\\d)"));
  return form;
}

struct Pattern {
  const char* row;
  QRegularExpression form;   // one group per argument
  QString longest;           // literal part: what lacks it does not match
  std::vector<int> numbers;  // of the arguments, in order
  qsizetype literal = 0;     // letters outside arguments
};

Pattern pattern_of(const char* row) {
  Pattern pattern{row, {}, {}, {}, 0};
  const QString text = QString::fromUtf8(row);
  QString form;
  qsizetype from = 0;
  const auto add_literal = [&](qsizetype to) {
    const QString part = text.mid(from, to - from);
    form += QRegularExpression::escape(part);
    pattern.literal += part.size();
    if (part.size() > pattern.longest.size()) pattern.longest = part;
  };
  for (auto at = argument_form().globalMatch(text); at.hasNext();) {
    const auto match = at.next();
    add_literal(match.capturedStart());
    // The rest before a part that ends a sentence may hold anything: as much as it can.
    form += form.isEmpty() ? QStringLiteral("(.+)") : QStringLiteral("(.+?)");
    pattern.numbers.push_back(match.capturedView(1).toInt());
    from = match.capturedEnd();
  }
  add_literal(text.size());
  pattern.form =
      QRegularExpression(QRegularExpression::anchoredPattern(form), QRegularExpression::DotMatchesEverythingOption);
  return pattern;
}

class Catalog {
 public:
  Catalog() {
    for (const char* row : catalog) {
      const QString text = QString::fromUtf8(row);
      if (text.contains(argument_form()))
        patterns_.push_back(pattern_of(row));
      else
        rows_.insert(text, row);
    }
    std::ranges::stable_sort(patterns_, std::ranges::greater{}, &Pattern::literal);
  }

  QString translated(const QString& text, int depth = 0) const {
    const std::optional<QString> whole = translated_whole(text, depth);
    return whole ? *whole : translated_in_parts(text, depth);
  }

 private:
  /// A row, a pattern, or "name: value" of such a value.
  std::optional<QString> translated_whole(const QString& text, int depth) const {
    if (const auto row = rows_.constFind(text); row != rows_.cend()) return translation_of(*row);
    if (depth > max_depth) return std::nullopt;
    for (const Pattern& pattern : patterns_) {
      if (pattern.literal >= text.size() || !text.contains(pattern.longest)) continue;
      if (const auto match = pattern.form.match(text); match.hasMatch()) return filled(pattern, match, depth);
    }
    const qsizetype colon = text.indexOf(QStringLiteral(": "));
    if (colon <= 0) return std::nullopt;
    const std::optional<QString> value = translated_whole(text.mid(colon + 2), depth + 1);
    if (!value) return std::nullopt;
    return translated(text.left(colon), depth + 1) + QStringLiteral("：") + *value;
  }

  /// "one; two" where a part has a row, "name: value" where the name has one.
  QString translated_in_parts(const QString& text, int depth) const {
    if (text.contains(QStringLiteral("; "))) {
      const QStringList parts = text.split(QStringLiteral("; "));
      QStringList others;
      for (const QString& part : parts) others << translated(part, depth + 1);
      return others == parts ? text : others.join(QStringLiteral("；"));
    }
    const qsizetype colon = text.indexOf(QStringLiteral(": "));
    if (colon <= 0) return text;
    const QString name = text.left(colon), other = translated(name, depth + 1);
    return other == name ? text : other + QStringLiteral("：") + text.mid(colon + 2);
  }

  QString filled(const Pattern& pattern, const QRegularExpressionMatch& match, int depth) const {
    const QString form = translation_of(pattern.row);
    QString text;
    qsizetype from = 0;
    for (auto at = argument_form().globalMatch(form); at.hasNext();) {
      const auto argument = at.next();
      text += QStringView(form).mid(from, argument.capturedStart() - from);
      from = argument.capturedEnd();
      const auto number = std::ranges::find(pattern.numbers, argument.capturedView(1).toInt());
      const auto group = static_cast<int>(number - pattern.numbers.begin()) + 1;
      text += translated(match.captured(group), depth + 1);
    }
    text += QStringView(form).mid(from);
    return text;
  }

  QHash<QString, const char*> rows_;
  std::vector<Pattern> patterns_;  // the most literal first
};

/// Translations by text. A language is installed once; tests install one later.
class Remembered {
 public:
  QString text_of(const QString& english) {
    const QString language = translation_of(catalog[0]);
    if (language == QLatin1String(catalog[0])) return english;
    static const Catalog known;
    const QMutexLocker lock(&mutex_);
    if (language != language_ || texts_.size() >= max_remembered) texts_.clear();
    language_ = language;
    if (const auto found = texts_.constFind(english); found != texts_.cend()) return *found;
    return *texts_.insert(english, known.translated(english));
  }

 private:
  QMutex mutex_;
  QString language_;
  QHash<QString, QString> texts_;
};

}  // namespace

QString core_text(const QString& english) {
  static Remembered remembered;
  return remembered.text_of(english);
}

QString core_text(std::string_view english) {
  return core_text(QString::fromUtf8(english.data(), static_cast<qsizetype>(english.size())));
}

}  // namespace kvantage
