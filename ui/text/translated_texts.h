// Translations of texts that come from files, such as lessons. A file holds pairs: a text, whole as in the original,
// then its translation. A text that has changed has no translation until its pair is changed as well. Indented lines
// continue a text, an empty line in front of them starts a paragraph, '#' begins a comment:
//   en: Why does it rise?
//   zh_CN: 为什么会上升？
#pragma once

#include <QString>
#include <map>

#include "core/base/error.h"

namespace kvantage {

using TranslatedTexts = std::map<QString, QString>;  // by the English text; both as the window shows them

/// `language`: code as in `languages()`, the key of the second line of a pair. rejected_input: "FILE:LINE: what is
/// wrong; how to fix it". A translation has the {facts} of its text, in any order.
Expected<TranslatedTexts> parse_translated_texts(const std::string& text, const QString& path, const QString& language);
/// None where there is no such file.
Expected<TranslatedTexts> read_translated_texts(const QString& path, const QString& language);
/// The text itself where it has no translation.
QString translated(const TranslatedTexts& texts, const QString& english);

}  // namespace kvantage
