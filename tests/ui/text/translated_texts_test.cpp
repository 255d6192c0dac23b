// links: kv_ui_models
// Translations of texts in files: pairs are read, an error in one is reported with its line, and every lesson that
// ships has all of its texts in Chinese, with their facts and with the names that the window has.
#include "ui/text/translated_texts.h"

#include <QDir>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>
#include <algorithm>
#include <fstream>
#include <set>

#include "tests/support/test_program.h"
#include "ui/learn/model/lesson_file.h"
#include "ui/text/language.h"

namespace translated_texts_test {

using namespace kvantage;

class TranslatedTextsTest : public QObject {
  Q_OBJECT

  static QString folder() { return QStringLiteral(KVANTAGE_SOURCE_DIR "/resources/lessons"); }
  static std::vector<Lesson> lessons(const QString& language) {
    QStringList errors;
    std::vector<Lesson> read = read_lessons(folder(), errors, language);
    if (!errors.isEmpty()) qFatal("%s", qPrintable(errors.join('\n')));
    return read;
  }
  static std::vector<QString> texts_of(Lesson lesson) {
    std::vector<QString> texts;
    for (const QString* text : shown_texts(lesson)) texts.push_back(*text);
    return texts;
  }
  static TranslatedTexts read(const std::string& text) {
    const auto texts = parse_translated_texts(text, "x.texts", "zh_CN");
    if (!texts) qFatal("%s", texts.error().message.c_str());
    return *texts;
  }
  static QStringList found_in(const QString& text, const char* form) {
    QStringList found;
    for (auto at = QRegularExpression(QString::fromUtf8(form)).globalMatch(text); at.hasNext();)
      found << at.next().captured(1);
    found.sort();
    return found;
  }
  /// Texts of the window in Chinese, without mnemonics, and the steps of a menu.
  static std::set<QString> texts_of_window() {
    QFile file(QStringLiteral(KVANTAGE_SOURCE_DIR "/resources/translations/kvantage_zh_CN.ts"));
    if (!file.open(QIODevice::ReadOnly)) qFatal("no translations");
    static const QRegularExpression mnemonic("\\(&.\\)|&|…$");
    std::set<QString> texts;
    for (QXmlStreamReader xml(&file); !xml.atEnd();)
      if (xml.readNext() == QXmlStreamReader::StartElement && xml.name() == QLatin1String("translation"))
        texts.insert(xml.readElementText(QXmlStreamReader::IncludeChildElements).remove(mnemonic));
    return texts;
  }

 private slots:
  void pairsAreRead() {
    const TranslatedTexts texts = read(
        "# about this file\n"
        "en: Why does the TTFT rise?\n"
        "zh_CN: 为什么上升？\n"
        "\n"
        "en: Now: {measured}.\n"
        "  See the curve of\n"
        "  lru.\n"
        "\n"
        "  Then wait.\r\n"
        "zh_CN: 当前：{measured}。\n"
        "  请看曲\n"
        "  线，它是\n"
        "  lru 的。\n"
        "\n"
        "  然后等待。\n");
    QCOMPARE(texts.size(), std::size_t{2});
    QCOMPARE(translated(texts, "Why does the TTFT rise?"), QString("为什么上升？"));
    // Lines of Chinese are joined without a space, unless a word of another script begins the next one.
    QCOMPARE(translated(texts, "Now: {measured}. See the curve of lru.\n\nThen wait."),
             QString("当前：{measured}。请看曲线，它是 lru 的。\n\n然后等待。"));
    QCOMPARE(translated(texts, "Another text"), QString("Another text"));
  }

  void errorsNameFileAndLine_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("line");
    QTest::addColumn<QString>("word");
    QTest::newRow("no translation") << "en: A\nzh_CN: 甲\n\nen: B\nen: C\n" << 4 << "no translation";
    QTest::newRow("none at the end") << "en: A\nzh_CN: 甲\nen: B\n" << 3 << "no translation";
    QTest::newRow("no text") << "zh_CN: 甲\n" << 1 << "no text";
    QTest::newRow("two translations") << "en: A\nzh_CN: 甲\nzh_CN: 乙\n" << 3 << "no text";
    QTest::newRow("text twice") << "en: A\nzh_CN: 甲\nen: A\nzh_CN: 乙\n" << 4 << "already";
    QTest::newRow("another language") << "en: A\nde: B\n" << 2 << "de: B";
    QTest::newRow("no colon") << "en: A\nzh_CN 甲\n" << 2 << "zh_CN 甲";
    QTest::newRow("no value") << "en: A\nzh_CN:\n" << 2 << "no value";
    QTest::newRow("indented") << "\n  A\n" << 2 << "indented";
    QTest::newRow("a fact is lost") << "en: A\nzh_CN: 甲\nen: Now {met}\nzh_CN: 当前\n" << 3 << "{facts}";
    QTest::newRow("another fact") << "en: Now {met}\nzh_CN: 当前 {split}\n" << 1 << "{facts}";
    QTest::newRow("not UTF-8") << QString("en: A") + QChar(0) << 1 << "UTF-8";
  }
  void errorsNameFileAndLine() {
    QFETCH(QString, text);
    QFETCH(int, line);
    QFETCH(QString, word);
    const auto texts = parse_translated_texts(text.toStdString(), "x.texts", "zh_CN");
    QVERIFY(!texts);
    const QString error = QString::fromStdString(texts.error().message);
    QVERIFY2(error.startsWith(QStringLiteral("x.texts:%1: ").arg(line)), qPrintable(error));
    QVERIFY2(error.contains(word) && !error.contains('\n'), qPrintable(error));
    QVERIFY2(error.contains("; "), qPrintable(error));  // and what to do
  }

  void noFileHasNoTranslations() {
    QCOMPARE(read_translated_texts("/nowhere/x.texts", "zh_CN").value().size(), std::size_t{0});
  }

  void aLessonIsTranslatedTextByText() {
    QTemporaryDir own;
    QDir(own.path()).mkdir("zh_CN");
    std::ofstream(own.filePath("a.lesson").toStdString())
        << "lesson: Title\norder: 3\nabout: About\nworkload: any\nlayout: Overview\nset: alpha = 0.5\n"
           "step: First\n  See {measured}.\nat: controls / Alpha\ndo: lowest\n"
           "question: Why?\n  Look.\nat: frontier\nanswer: This\n  No.\nright: That\n  Yes.\n";
    std::ofstream(own.filePath("zh_CN/a.texts").toStdString())
        << "en: Title\nzh_CN: 标题\nen: See {measured}.\nzh_CN: 见 {measured}。\n"
           "en: That\nzh_CN: 那个\nen: Gone\nzh_CN: 没有了\n";
    QStringList errors;
    const std::vector<Lesson> read = read_lessons(own.path(), errors, "zh_CN");
    QVERIFY(errors.isEmpty() && read.size() == 1);
    const Lesson& lesson = read.front();
    const std::vector<QString> shown{"标题", "About", "First", "见 {measured}。", "Why?", "Look.", "This",
                                     "No.",  "那个",  "Yes."};
    QCOMPARE(texts_of(lesson), shown);
    // Everything else is that of the one original.
    QCOMPARE(lesson.settings.front().value, QString("0.5"));
    QCOMPARE(lesson.steps.front().target.control, QString("Alpha"));
    QVERIFY(lesson.steps.back().answers[1].right);
    QCOMPARE(read_lesson(own.filePath("a.lesson"), "en").value().title, QString("Title"));

    std::ofstream(own.filePath("zh_CN/a.texts").toStdString()) << "en: Title\n";
    const std::vector<Lesson> broken = read_lessons(own.path(), errors, "zh_CN");
    QCOMPARE(broken.front().title, QString("Title"));
    QCOMPARE(errors.size(), 1);
    QVERIFY2(errors[0].contains("zh_CN/a.texts:1: "), qPrintable(errors[0]));
  }

  void everyLessonIsWhollyInChinese() {
    static const QRegularExpression chinese("\\p{Han}");
    const std::vector<Lesson> originals = lessons("en"), translations = lessons("zh_CN");
    QVERIFY(originals.size() >= 5 && originals.size() == translations.size());
    for (std::size_t i = 0; i < originals.size(); ++i) {
      const QString path = translations_path(originals[i].path, "zh_CN");
      const auto pairs = read_translated_texts(path, "zh_CN");
      QVERIFY2(pairs, pairs ? "" : pairs.error().message.c_str());
      const std::vector<QString> english = texts_of(originals[i]), shown = texts_of(translations[i]);
      QCOMPARE(shown.size(), english.size());
      for (std::size_t text = 0; text < english.size(); ++text) {
        QVERIFY2(pairs->contains(english[text]), qPrintable(path + " lacks: " + english[text]));
        QVERIFY2(shown[text].contains(chinese), qPrintable(path + ": " + shown[text]));
        QCOMPARE(found_in(shown[text], "(\\{\\w+\\})"), found_in(english[text], "(\\{\\w+\\})"));
      }
      for (const auto& [text, translation] : *pairs)  // what no lesson says any more
        QVERIFY2(std::ranges::find(english, text) != english.end(), qPrintable(path + " has no use for: " + text));
    }
  }

  void everyTranslationHasItsLesson() {
    int files = 0;
    for (const Language& language : languages())
      for (const QFileInfo& file : QDir(folder() + '/' + language.code).entryInfoList(QDir::Files)) {
        const QString lesson = QStringLiteral("%1/%2.lesson").arg(folder(), file.completeBaseName());
        QVERIFY2(QFileInfo::exists(lesson), qPrintable(file.filePath()));
        QCOMPARE(file.filePath(), translations_path(lesson, language.code));
        ++files;
      }
    QCOMPARE(files, static_cast<int>(lessons("en").size()));
    for (const QString& inner : QDir(folder()).entryList(QDir::Dirs | QDir::NoDotAndDotDot))
      QVERIFY2(std::ranges::count(languages(), inner, &Language::code) == 1, qPrintable(inner));
  }

  // A lesson in Chinese writes names of the window in these quotes, as the window has them.
  void namesAreThoseOfTheWindow() {
    const std::set<QString> window = texts_of_window();
    QVERIFY(window.size() > 1000);
    int names = 0;
    for (const Lesson& lesson : lessons("zh_CN"))
      for (const QString& text : texts_of(lesson))
        for (const QString& name : found_in(text, "“([^”]*)”")) {
          QVERIFY2(window.contains(name), qPrintable(lesson.path + ": " + name));
          ++names;
        }
    QVERIFY2(names > 10, qPrintable(QString::number(names)));
  }
};

KV_TEST_GUILESS_MAIN(TranslatedTextsTest)

}  // namespace translated_texts_test

#include "translated_texts_test.moc"
