// Languages of the window. Texts are English in the source; translations are compiled in from resources/translations.
#pragma once

#include <QString>
#include <vector>

namespace kvantage {

struct Language {
  QString code;  // as in settings: "en", "zh_CN"
  QString name;  // in the language itself
};

const std::vector<Language>& languages();
/// Code of the language for `code`; empty or unknown: the first of the system's languages that there is, else English.
QString language_for(const QString& code);
/// Before widgets are made: they do not change their texts later.
void install_language(const QString& code);
/// Code of the language that was installed; "en" before. Texts that come from files are shown in it.
const QString& installed_language();
/// Plural forms of English ("1 run", "2 runs"), in every program that shows texts of the window.
void install_plurals();

}  // namespace kvantage
