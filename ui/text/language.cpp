#include "ui/text/language.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>
#include <algorithm>

static void load_translations() { Q_INIT_RESOURCE(translations); }  // of a static library

namespace kvantage {
namespace {

// Falls silent where there is no such file: Qt's own translations are a package of their own.
void install(const QString& file, const QString& folder) {
  auto* translator = new QTranslator(QCoreApplication::instance());
  if (translator->load(file, folder))
    QCoreApplication::installTranslator(translator);
  else
    delete translator;
}

const QString compiled_in = QStringLiteral(":/kvantage/translations");

QString& installed() {
  static QString code = QStringLiteral("en");
  return code;
}

}  // namespace

const std::vector<Language>& languages() {
  static const std::vector<Language> all{{QStringLiteral("en"), QStringLiteral("English")},
                                         {QStringLiteral("zh_CN"), QStringLiteral("简体中文")}};
  return all;
}

QString language_for(const QString& code) {
  const auto known = [](const QString& wanted) { return std::ranges::find(languages(), wanted, &Language::code); };
  if (const auto found = known(code); found != languages().end()) return found->code;
  for (const QString& of_system : QLocale::system().uiLanguages()) {
    const QLocale locale(of_system);
    const bool simplified = locale.language() == QLocale::Chinese && locale.script() != QLocale::TraditionalHanScript;
    if (simplified) return QStringLiteral("zh_CN");
    if (locale.language() == QLocale::English) break;
  }
  return QStringLiteral("en");
}

void install_language(const QString& code) {
  const QString language = installed() = language_for(code);
  if (language == QStringLiteral("en")) return;
  install(QStringLiteral("qtbase_") + language, QLibraryInfo::path(QLibraryInfo::TranslationsPath));
  install(QStringLiteral("kvantage_") + language, compiled_in);
}

const QString& installed_language() { return installed(); }

void install_plurals() {
  load_translations();
  install(QStringLiteral("kvantage_en"), compiled_in);
}

}  // namespace kvantage
