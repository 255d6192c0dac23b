#include "ui/text/translated_texts.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStringList>

#include "core/base/files.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr std::size_t longest_texts = 256 * 1024;

bool is_wide_mark(QChar letter) {
  const auto code = letter.unicode();
  return (code >= 0x3001 && code <= 0x303f) || (code >= 0xff00 && code <= 0xffef);
}

// Chinese has no spaces between words and behind its punctuation marks, so a line may end there.
QString space_between(QChar last, QChar first) {
  const auto is_wide = [](QChar letter) { return letter.script() == QChar::Script_Han || is_wide_mark(letter); };
  const bool none = is_wide_mark(last) || is_wide_mark(first) || (is_wide(last) && is_wide(first));
  return none ? QString() : QStringLiteral(" ");
}

QStringList facts_of(const QString& text) {
  static const QRegularExpression form(QStringLiteral("\\{[^}]*\\}?"));
  QStringList found;
  for (auto at = form.globalMatch(text); at.hasNext();) found << at.next().captured();
  found.sort();
  return found;
}

// Reads line by line; the first error ends it.
class PairReader {
  Q_DECLARE_TR_FUNCTIONS(TranslatedTexts)
 public:
  PairReader(const QString& path, const QString& language) : path_(path), language_(language) {}

  Expected<TranslatedTexts> read(const std::string& text) {
    if (text.size() > longest_texts) return stop(tr("is larger than 256 KiB; split it"));
    const QString all = QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
    if (all.contains(QChar::ReplacementCharacter) || all.contains(QChar::Null))
      return stop(tr("is not UTF-8 text; save it as UTF-8"));
    for (const QString& line : all.split('\n')) {
      ++line_;
      KV_TRY(take(line));
    }
    KV_TRY(pair_ended());
    return std::move(texts_);
  }

 private:
  tl::unexpected<Error> stop(const QString& why) const {
    return fail(ErrorCode::rejected_input,
                from_q(QStringLiteral("%1:%2: %3").arg(path_, QString::number(std::max(line_, 1)), why)));
  }

  Status take(const QString& line) {
    if (line.trimmed().isEmpty()) {
      paragraph_ = true;
      return {};
    }
    if (line.startsWith('#')) return {};
    if (line.front().isSpace()) return take_more(line.simplified());
    const auto colon = line.indexOf(':');
    const QString name = line.left(std::max<qsizetype>(colon, 0)), value = line.mid(colon + 1).simplified();
    const bool begins = name == QStringLiteral("en");
    if (!begins && name != language_)
      return stop(
          tr("\"%1\" begins neither with \"en:\" nor with \"%2:\"; indent it as part of the text above, or correct it")
              .arg(line.left(40), language_));
    if (value.isEmpty()) return stop(tr("\"%1\" has no value; write it after the colon").arg(name));
    paragraph_ = false;
    if (begins) {
      KV_TRY(pair_ended());
      english_ = value;
      english_line_ = line_;
      into_ = &english_;
      return {};
    }
    if (into_ != &english_) return stop(tr("this translation has no text; write \"en: TEXT\" above it"));
    if (texts_.contains(english_)) return stop(tr("this text has a translation already; remove one"));
    translation_ = value;
    into_ = &translation_;
    return {};
  }

  Status take_more(const QString& words) {
    if (!into_) return stop(tr("indented text without a text above; start the line with \"en:\""));
    *into_ += paragraph_ ? QStringLiteral("\n\n") : space_between(into_->back(), words.front());
    *into_ += words;
    paragraph_ = false;
    return {};
  }

  // What is wrong with a pair is reported at the line of its text.
  Status pair_ended() {
    if (!into_) return {};
    const int here = std::exchange(line_, english_line_);
    if (into_ == &english_)
      return stop(tr("this text has no translation; write \"%1: TEXT\" below it, or remove it").arg(language_));
    if (facts_of(english_) != facts_of(translation_))
      return stop(tr("the translation has other {facts} than its text; use the same ones"));
    line_ = here;
    texts_[english_] = translation_;
    into_ = nullptr;
    return {};
  }

  QString path_, language_;
  TranslatedTexts texts_;
  QString english_, translation_;
  QString* into_ = nullptr;  // what indented lines belong to; null: no pair was begun
  int line_ = 0, english_line_ = 0;
  bool paragraph_ = false;
};

}  // namespace

Expected<TranslatedTexts> parse_translated_texts(const std::string& text, const QString& path,
                                                 const QString& language) {
  return PairReader(path, language).read(text);
}

Expected<TranslatedTexts> read_translated_texts(const QString& path, const QString& language) {
  if (!QFileInfo::exists(path)) return TranslatedTexts();
  KV_ASSIGN(const auto text, read_text_file(from_q(path)));
  return parse_translated_texts(text, path, language);
}

QString translated(const TranslatedTexts& texts, const QString& english) {
  const auto found = texts.find(english);
  return found == texts.end() ? english : found->second;
}

}  // namespace kvantage
