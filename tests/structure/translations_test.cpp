// links: core_base
// Translations are complete: every text of the template that the build makes, none unfinished, all arguments kept.
#include <QFile>
#include <QRegularExpression>
#include <QXmlStreamReader>
#include <QtTest>
#include <map>

#include "tests/support/test_program.h"

namespace translations_test {

struct Message {
  QStringList forms;  // more than one where a number decides
  bool plural = false, unfinished = false;
};
using Messages = std::map<std::pair<QString, QString>, Message>;  // by context and source

class TranslationsTest : public QObject {
  Q_OBJECT

  static Messages read(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) qFatal("%s cannot be read", qPrintable(path));
    QXmlStreamReader xml(&file);
    Messages messages;
    QString context, source;
    Message message;
    while (!xml.atEnd()) {
      xml.readNext();
      const QString name = xml.name().toString();
      if (xml.isEndElement() && name == "message") messages[{context, source}] = message;
      if (!xml.isStartElement()) continue;
      if (name == "message") message = {{}, xml.attributes().hasAttribute("numerus"), false};
      if (name == "translation") message.unfinished = xml.attributes().hasAttribute("type");
      if (name == "name") context = xml.readElementText();
      if (name == "source") source = xml.readElementText();
      if (name == "numerusform" || (name == "translation" && !message.plural)) message.forms << xml.readElementText();
    }
    if (xml.hasError()) qFatal("%s: %s", qPrintable(path), qPrintable(xml.errorString()));
    return messages;
  }

  static Messages translation(const QString& language) {
    return read(QStringLiteral(KVANTAGE_SOURCE_DIR "/resources/translations/kvantage_%1.ts").arg(language));
  }
  static Messages texts() { return read(QStringLiteral(KVANTAGE_BINARY_DIR "/kvantage.ts")); }

  /// "%1 %2 %n" of a text; a plural form may leave out its number.
  static QStringList arguments(const QString& text, bool with_number) {
    static const QRegularExpression form("%(\\d|n)");
    QStringList found;
    for (auto match = form.globalMatch(text); match.hasNext();) found << match.next().captured();
    if (!with_number) found.removeAll("%n");
    found.removeDuplicates();
    found.sort();
    return found;
  }

  static QStringList faults(const Messages& wanted, const Messages& given, qsizetype plural_forms) {
    QStringList found;
    for (const auto& [key, text] : wanted) {
      const auto at = given.find(key);
      const QString name = QStringLiteral("%1: \"%2\"").arg(key.first, key.second);
      if (at == given.end()) {
        found << name + " is missing; build the target update_translations and translate it";
        continue;
      }
      const Message& message = at->second;
      if (message.unfinished || message.forms.contains(QString())) found << name + " is unfinished";
      if (message.forms.size() != (message.plural ? plural_forms : 1)) found << name + " has another number of forms";
      for (const QString& translated : message.forms)
        if (arguments(key.second, !message.plural) != arguments(translated, !message.plural))
          found << name + " has other arguments: " + translated;
    }
    for (const auto& [key, message] : given)
      if (!wanted.contains(key)) found << QStringLiteral("%1: \"%2\" is no text any more").arg(key.first, key.second);
    return found;
  }

 private slots:
  void chinese_is_complete() {
    const QStringList found = faults(texts(), translation("zh_CN"), 1);
    QVERIFY2(found.isEmpty(), qPrintable('\n' + found.join('\n')));
  }

  void english_has_every_plural() {
    Messages plurals = texts();
    std::erase_if(plurals, [](const auto& entry) { return !entry.second.plural; });
    QVERIFY(plurals.size() > 30);
    const QStringList found = faults(plurals, translation("en"), 2);
    QVERIFY2(found.isEmpty(), qPrintable('\n' + found.join('\n')));
  }

  void what_is_missing_is_found() {
    const Messages wanted{{{"C", "%1 of %2"}, {{""}, false, true}}, {{"C", "%n run(s)"}, {{"", ""}, true, true}}};
    const auto found = [&wanted](const Message& first, const Message& second) {
      return faults(wanted, {{{"C", "%1 of %2"}, first}, {{"C", "%n run(s)"}, second}}, 2).size();
    };
    const Message plural{{"%n run", "%n runs"}, true, false};
    QCOMPARE(found({{"%2: %1"}, false, false}, plural), 0);
    QCOMPARE(found({{"%2: %1"}, false, true}, plural), 1);                       // unfinished
    QCOMPARE(found({{"%2"}, false, false}, plural), 1);                          // an argument is lost
    QCOMPARE(found({{"%2: %1"}, false, false}, {{"%n runs"}, true, false}), 1);  // a form is lost
    QCOMPARE(faults(wanted, {{{"C", "%n run(s)"}, plural}}, 2).size(), 1);       // a text is lost
    QCOMPARE(faults({}, {{{"C", "%n run(s)"}, plural}}, 2).size(), 1);           // one that is gone
  }
};

KV_TEST_GUILESS_MAIN(TranslationsTest)

}  // namespace translations_test

#include "translations_test.moc"
