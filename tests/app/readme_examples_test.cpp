// links: kv_reports
// docs/cli.md is what the program prints, and the commands that README.md shows are commands of the program.
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>

#include "core/base/files.h"
#include "tests/support/command_line.h"
#include "tests/support/test_program.h"

namespace readme_examples_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

QString text_of_file(const QString& name) {
  const auto text = read_text_file(std::filesystem::path(KVANTAGE_SOURCE_DIR) / name.toStdString());
  return text ? QString::fromStdString(*text) : QString();
}

/// Lines of the fenced blocks, continued lines joined, comments cut off.
QStringList shown_commands(const QString& markdown) {
  QStringList commands;
  bool inside = false, continued = false;
  for (QString line : markdown.split('\n')) {
    if (line.startsWith("```")) {
      inside = !inside;
      continue;
    }
    if (!inside || line.trimmed().isEmpty() || line.startsWith('#')) continue;
    static const QRegularExpression comment("\\s+#.*$");
    line.remove(comment);
    const bool more = line.endsWith('\\');
    if (more) line.chop(1);
    if (continued)
      commands.back() += ' ' + line.trimmed();
    else
      commands << line.trimmed();
    continued = more;
  }
  return commands;
}

/// What docs/cli.md says of the command that these words begin with; empty: there is no such command.
QString section_of(const QString& reference, const QStringList& words) {
  for (qsizetype length = std::min<qsizetype>(words.size(), 3); length > 1; --length) {
    const QString title = "\n## " + words.first(length).join(' ') + '\n';
    const qsizetype begin = reference.indexOf(title);
    if (begin >= 0) return reference.mid(begin + 1, reference.indexOf("\n## ", begin + 1) - begin);
  }
  return {};
}

}  // namespace

class ReadmeExamplesTest : public QObject {
  Q_OBJECT
  const QString readme_ = text_of_file("README.md"), reference_ = text_of_file("docs/cli.md");

  QStringList program_lines() const { return shown_commands(readme_).filter(QRegularExpression("^kvantage-cli ")); }

 private slots:
  void theReferenceIsWhatTheProgramPrints() {
    QTemporaryDir empty_cache;
    qputenv("KVANTAGE_CACHE", empty_cache.path().toUtf8());  // no path of a machine is in it
    const Answer answer = call({"reference"});
    qunsetenv("KVANTAGE_CACHE");
    QVERIFY2(answer.exit_code == 0, answer.text());
    QVERIFY2(answer.out == reference_, "docs/cli.md is not up to date: kvantage-cli reference > docs/cli.md");
  }

  void linesFitIntoAnEditor_data() {
    QTest::addColumn<QString>("file");
    QTest::newRow("README") << "README.md";
    QTest::newRow("reference") << "docs/cli.md";
  }
  void linesFitIntoAnEditor() {
    QFETCH(QString, file);
    const QString text = text_of_file(file);
    QVERIFY(!text.isEmpty());
    for (const QString& line : text.split('\n')) QVERIFY2(line.size() <= 120, qPrintable(line));
  }

  void everyOptionShownIsThere() {
    const QStringList lines = program_lines();
    QVERIFY(lines.size() >= 5);
    for (const QString& line : lines) {
      const QStringList words = QProcess::splitCommand(line);
      const QString section = section_of(reference_, words);
      QVERIFY2(!section.isEmpty(), qPrintable("docs/cli.md has no such command: " + line));
      for (const QString& word : words)
        if (word.startsWith("--"))
          QVERIFY2(section.contains(QRegularExpression("[`,]" + QRegularExpression::escape(word) + "[` ,]")),
                   qPrintable(word + " is no option of: " + line));
    }
  }

  // Those that answer at once, as they are shown: no model computes, nothing is downloaded.
  void whatAnswersAtOnceDoes() {
    int ran = 0;
    for (const QString& line : program_lines()) {
      const QStringList words = QProcess::splitCommand(line).mid(1);
      if (words.front() != "policies" && words.front() != "methods" && words.front() != "workload") continue;
      if (words.contains("make") || words.contains("import")) continue;
      const Answer answer = call(words);
      QVERIFY2(answer.exit_code == 0 && !answer.out.isEmpty(), answer.text());
      ++ran;
    }
    QVERIFY(ran >= 2);
  }

  void everyFileThatIsNamedIsThere() {
    static const QRegularExpression link("\\]\\(([^)#:]+)(#[^)]*)?\\)");
    auto match = link.globalMatch(readme_);
    int links = 0;
    while (match.hasNext()) {
      const QString path = match.next().captured(1);
      QVERIFY2(QFileInfo::exists(QStringLiteral(KVANTAGE_SOURCE_DIR "/") + path), qPrintable(path));
      ++links;
    }
    QVERIFY(links >= 10);
  }
};

KV_TEST_GUILESS_MAIN(ReadmeExamplesTest)

}  // namespace readme_examples_test

#include "readme_examples_test.moc"
