// links: core_base
// Texts of the window go through tr(), and all texts, comments and identifiers use the words of docs/words-check.txt,
// which lists what is exempt and why.
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QtTest>
#include <map>

#include "tests/support/source_literals.h"
#include "tests/support/test_program.h"

namespace words_test {

using kvantage::test::Literal;
using kvantage::test::LiteralReader;

struct Rule {
  QString path;
  QRegularExpression form;
  QString use;
};

using Names = std::map<QString, QStringList>;  // identifiers, each with "path:line" of its first use in a file

class WordsTest : public QObject {
  Q_OBJECT

  QStringList roots_;
  std::vector<Rule> words_, allowed_, plain_, comments_, names_;

  static QString text_of(const QString& path) {
    QFile file(QStringLiteral(KVANTAGE_SOURCE_DIR "/") + path);
    if (!file.open(QIODevice::ReadOnly)) qFatal("%s cannot be read", qPrintable(path));
    return QString::fromUtf8(file.readAll());
  }

  static bool is_cpp(const QString& path) {
    return QStringList{"cpp", "h", "inl", "cu", "cuh"}.contains(QFileInfo(path).suffix());
  }

  /// A file, a folder's sources and texts, or FOLDER/**/NAME: the files of that name in it.
  static QStringList files_below(const QString& root) {
    const QString base = QStringLiteral(KVANTAGE_SOURCE_DIR "/"), name = root.section("/**/", 1);
    if (QFileInfo(base + root).isFile()) return {root};
    QStringList files;
    for (QDirIterator at(base + root.section("/**/", 0, 0), QDir::Files, QDirIterator::Subdirectories); at.hasNext();) {
      const QString path = at.next().mid(base.size());
      const bool text = QStringList{"md", "lesson", "desktop", "xml", "sh"}.contains(QFileInfo(path).suffix());
      if (name.isEmpty() ? is_cpp(path) || text : QDir::match(name, QFileInfo(path).fileName())) files << path;
    }
    files.sort();
    return files;
  }

  static bool exempt(const std::vector<Rule>& rules, const QString& path, const QString& text) {
    return std::ranges::any_of(
        rules, [&](const Rule& rule) { return path.startsWith(rule.path) && rule.form.match(text).hasMatch(); });
  }

  static bool is_translated(const Literal& literal) {
    static const QRegularExpression form(R"((\btr|\bQT_TR_NOOP|(\btranslate|\bQT_TRANSLATE_NOOP)\("",)\s*\(?\s*$)");
    return form.match(literal.before).hasMatch();
  }

  /// Two words, or letters that are shown at once.
  static bool is_shown(const Literal& literal) {
    static const QRegularExpression markup(R"(<[^>]*>|%\d|&nbsp;|\\n)");
    static const QRegularExpression sentence(R"([A-Za-z]{2,}[,:;.]? +[A-Za-z]{2,})");
    static const QRegularExpression call(
        R"((setText|setToolTip|setTitle|setWindowTitle|setAccessibleName|setAccessibleDescription|setPlaceholderText|)"
        R"(setStatusTip|setSuffix|setPrefix|setTitleText|setLabelText|setInformativeText|setSpecialValueText|setName|)"
        R"(addTab|addAction|addMenu|addItem|addRow|addButton|drawText|QLabel|QCheckBox|QPushButton|QGroupBox|QAction|)"
        R"(QMenu)\((QStringLiteral\()?\s*$)");
    static const QRegularExpression sample(R"(fit_columns\([^;]*$)");  // texts that only measure columns
    if (sample.match(literal.before).hasMatch()) return false;
    const QString text = QString(literal.text).replace(markup, " ");
    return sentence.match(text).hasMatch() ||
           (call.match(literal.before).hasMatch() && QRegularExpression("[A-Za-z]{2}").match(text).hasMatch());
  }

  QStringList untranslated(const QString& path, const QString& source) const {
    QStringList found;
    for (const Literal& literal : LiteralReader(source).read())
      if (!is_translated(literal) && is_shown(literal) && !exempt(plain_, path, literal.text))
        found << QStringLiteral("%1:%2: not in tr(): \"%3\"").arg(path).arg(literal.line).arg(literal.text.left(90));
    return found;
  }

  QStringList unwanted(const QString& path, const QString& text) const {
    std::vector<Literal> parts{{text, {}, 1}};
    if (is_cpp(path)) parts = LiteralReader(text).read();
    QStringList found;
    for (const Literal& part : parts)
      for (const Rule& word : words_)
        for (auto match = word.form.globalMatch(part.text); match.hasNext();) {
          const auto at = match.next();
          if (exempt(allowed_, path, is_cpp(path) ? part.text : at.captured())) continue;
          const int line = part.line + static_cast<int>(QStringView(part.text).left(at.capturedStart()).count('\n'));
          found << QStringLiteral("%1:%2: \"%3\": use %4").arg(path).arg(line).arg(at.captured(), word.use);
        }
    return found;
  }

  /// In comments an exemption is of the word, not of the text around it.
  QStringList unwanted_in_comments(const QString& path, const QString& source) const {
    LiteralReader reader(source);
    reader.read();
    QStringList found;
    for (const Literal& comment : reader.comments())
      for (const Rule& word : words_)
        for (auto match = word.form.globalMatch(comment.text); match.hasNext();) {
          const auto at = match.next();
          if (exempt(comments_, path, at.captured())) continue;
          const int line =
              comment.line + static_cast<int>(QStringView(comment.text).left(at.capturedStart()).count('\n'));
          found << QStringLiteral("%1:%2: \"%3\": use %4").arg(path).arg(line).arg(at.captured(), word.use);
        }
    return found;
  }

  static void collect_names(const QString& path, const QString& source, Names& names) {
    static const QRegularExpression form("[A-Za-z_]\\w*");
    LiteralReader reader(source);
    reader.read();
    std::map<QString, int> seen;
    int line = 0;
    for (const QString& code : reader.code().split('\n'))
      for (auto match = (++line, form.globalMatch(code)); match.hasNext();) seen.emplace(match.next().captured(), line);
    for (const auto& [name, first] : seen) names[name] << path + ':' + QString::number(first);
  }

  /// "grow_to_hold" and "growToHold" are "grow to hold".
  static QString words_of(const QString& name) {
    static const QRegularExpression form("[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\\d+");
    QStringList words;
    for (auto match = form.globalMatch(name); match.hasNext();) words << match.next().captured().toLower();
    return words.join(' ');
  }

  QStringList unwanted_names(const Names& names) const {
    QStringList found;
    for (const auto& [name, places] : names) {
      const QString words = words_of(name);
      for (const Rule& word : words_) {
        if (!word.form.match(words).hasMatch()) continue;
        for (const QString& place : places)
          if (!exempt(names_, place, words)) found << QStringLiteral("%1: %2: use %3").arg(place, name, word.use);
      }
    }
    return found;
  }

 private slots:
  void initTestCase() {
    const auto form = [](const QString& text) {
      const QRegularExpression made(text, QRegularExpression::CaseInsensitiveOption);
      if (!made.isValid()) qFatal("docs/words-check.txt: %s is no regular expression", qPrintable(text));
      return made;
    };
    for (const QString& line : text_of("docs/words-check.txt").split('\n')) {
      const QString kind = line.section(' ', 0, 0), rest = line.section(' ', 1);
      if (kind == "root") roots_ << rest;
      if (kind == "word") {
        // A phrase may span two lines.
        const QString phrase = rest.section(" => ", 0, 0).replace(' ', "\\s+");
        words_.push_back({{}, form(phrase), rest.section(" => ", 1)});
      }
      const std::map<QString, std::vector<Rule>*> exemptions{
          {"allow", &allowed_}, {"plain", &plain_}, {"comment", &comments_}, {"name", &names_}};
      if (!exemptions.contains(kind)) continue;
      const QString reason = rest.section(" -- ", 1);
      QVERIFY2(!reason.isEmpty(), qPrintable(line + ": write a reason after --"));
      const QString what = rest.section(" -- ", 0, 0);
      exemptions.at(kind)->push_back({what.section(' ', 0, 0), form(what.section(' ', 1)), reason});
    }
    QVERIFY(roots_.size() > 5 && words_.size() > 20 && plain_.size() > 5);
  }

  void every_text_is_translated() {
    QStringList found;
    for (const QString& root :
         {QStringLiteral("ui"), QStringLiteral("app/main.cpp"), QStringLiteral("app/window_program.cpp"),
          QStringLiteral("app/window_program_options.cpp")})
      for (const QString& path : files_below(root)) found << untranslated(path, text_of(path));
    QVERIFY2(found.isEmpty(), qPrintable('\n' + found.join('\n')));
  }

  void words_of_the_field() {
    QStringList found;
    for (const QString& root : roots_) {
      const QStringList files = files_below(root);
      QVERIFY2(!files.isEmpty(), qPrintable(root + ": has no file to read"));
      for (const QString& path : files) found << unwanted(path, text_of(path));
    }
    QVERIFY2(found.isEmpty(), qPrintable('\n' + found.join('\n')));
  }

  void comments_use_them_too() {
    QStringList found;
    int files = 0;
    for (const char* root : {"app", "core", "gpu", "profiles", "tests", "tiers", "ui"})
      for (const QString& path : files_below(root))
        if (is_cpp(path)) {
          ++files;
          found << unwanted_in_comments(path, text_of(path));
        }
    QVERIFY(files > 1500);
    QVERIFY2(found.isEmpty(), qPrintable('\n' + found.join('\n')));
  }

  void identifiers_use_them_too() {
    Names names;
    for (const char* root : {"app", "core", "gpu", "profiles", "tests", "tiers", "ui"})
      for (const QString& path : files_below(root))
        if (is_cpp(path)) collect_names(path, text_of(path), names);
    QVERIFY(names.size() > 10'000);
    const QStringList found = unwanted_names(names);
    QVERIFY2(found.isEmpty(), qPrintable('\n' + found.join('\n')));
  }

  void a_bare_text_is_found_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<int>("found");
    QTest::newRow("sentence") << "f(\"Two words\");" << 1;
    QTest::newRow("in two literals") << "f(\"Two \"\n  \"words\");" << 1;
    QTest::newRow("one word that is shown") << "label->setText(QStringLiteral(\"Removed\"));" << 1;
    QTest::newRow("translated") << "label->setText(Dock::tr(\"Removed %1\").arg(1));" << 0;
    QTest::newRow("translated, on a line of its own") << "f(tr(\n    \"Two words\"));" << 0;
    QTest::newRow("of a table") << "titles[] = {QT_TR_NOOP(\"Two words\")};" << 0;
    QTest::newRow("behind a translated one") << "f(tr(\"Two words\"), \"two others\");" << 1;
    QTest::newRow("an id") << "setObjectName(\"hitRates\");" << 0;
    QTest::newRow("comment") << "// \"Two words\"\n/* \"and two\" */" << 0;
    QTest::newRow("markup") << "html += \"<b style='color:%1'>%2</b>\";" << 0;
    QTest::newRow("a quote inside") << "f(\"say \\\"two words\\\"\");" << 1;
  }
  void a_bare_text_is_found() {
    QFETCH(QString, source);
    QFETCH(int, found);
    QCOMPARE(untranslated("other/file.cpp", source).size(), found);
  }

  void an_unwanted_word_is_found_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("found");
    QTest::newRow("in a literal") << "other/file.cpp"
                                  << "f(tr(\"computed anew\"));" << 1;
    QTest::newRow("in a comment of a source") << "other/file.cpp"
                                              << "// computed anew" << 0;
    QTest::newRow("in a text") << "other/file.md"
                               << "Computed\nAnew, and once more." << 2;
    QTest::newRow("part of another word") << "other/file.md"
                                          << "a bearing, reshaped" << 0;
  }
  void an_unwanted_word_is_found() {
    QFETCH(QString, path);
    QFETCH(QString, text);
    QFETCH(int, found);
    QCOMPARE(unwanted(path, text).size(), found);
  }

  void a_word_of_a_comment_is_found() {
    QCOMPARE(unwanted_in_comments("other/file.cpp", "int a;  // computed anew\n/* and\n   once more */\n").size(), 2);
    QVERIFY(unwanted_in_comments("other/file.cpp", "f(\"computed anew\");  // again\n").isEmpty());
    QVERIFY(unwanted_in_comments("core/file.cpp", "// gold answers\n").isEmpty());
  }

  void a_word_of_an_identifier_is_found() {
    Names names;
    collect_names("other/file.cpp",
                  "void makeRoom();  // goes_on\nint to_anew = f(\"once_more\");\nvoid aNewRun(); int gold;\n", names);
    QCOMPARE(unwanted_names(names), (QStringList{"other/file.cpp:3: gold: use reference answer",
                                                 "other/file.cpp:1: makeRoom: use be preempted, be displaced",
                                                 "other/file.cpp:2: to_anew: use again; re-run, re-profile, re-plan, "
                                                 "recompute"}));
    Names exempt_ones;
    collect_names("core/file.cpp", "int gold;\n", exempt_ones);
    QVERIFY(unwanted_names(exempt_ones).isEmpty());
  }
};

KV_TEST_GUILESS_MAIN(WordsTest)

}  // namespace words_test

#include "words_test.moc"
