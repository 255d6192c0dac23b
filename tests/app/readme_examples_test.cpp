// links: kv_reports
// docs/cli.md is what the program prints. Every example of README.md, of docs/guide.md and of docs/cli.md that can run
// offline in seconds does, as a shell runs it; options of the others, and of all other documents, are options of the
// program.
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>

#include "core/base/files.h"
#include "tests/support/command_line.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"
#include "tests/trace/samples.h"

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

/// Code inside a line that calls a program with options or arguments: "`kvantage-cli run --from RUN`".
QStringList inline_commands(const QString& markdown) {
  QStringList commands;
  static const QRegularExpression code("`(kvantage(?:-cli)? [^`]+)`");
  for (auto found = code.globalMatch(markdown); found.hasNext();) commands << found.next().captured(1).simplified();
  return commands;
}

bool is_of(const QString& program, const QString& line) { return line.startsWith(program + ' '); }

/// Without the file that the output goes to, and without what stands in a column beside it.
QStringList words_of(const QString& line) {
  return QProcess::splitCommand(line.section(" > ", 0, 0).section("    ", 0, 0));
}

/// Options that are long, with their value cut off.
QStringList options_of(const QStringList& words) {
  QStringList options;
  for (QString word : words) {
    while (word.endsWith(']') || word.endsWith(',')) word.chop(1);
    while (word.startsWith('[')) word.remove(0, 1);
    if (word.startsWith("--")) options << word.section('=', 0, 0);
  }
  return options;
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
  QString window_help_;
  QTemporaryDir folder_;

  /// README and the guide: what somebody tries first.
  QStringList first_examples() const {
    return shown_commands(readme_) + shown_commands(text_of_file("docs/guide.md")) + shown_commands(reference_);
  }

  /// Little enough to serve for a test. The profile of the quick start is there, with all of its questions.
  static QString shortened(QString line) {
    if (is_of("kvantage-cli run quickstart", line)) return line + " --limit 2 --no-warmup";
    if (is_of("kvantage-cli run", line)) return line + " --limit 2 --no-warmup --profile-questions 1";
    if (is_of("kvantage-cli sweep", line)) return line.replace("--seeds 2", "--seeds 1") + " --limit 1 --no-warmup";
    return line;
  }

 private slots:
  void initTestCase() {
    // What the examples name.
    QVERIFY(QDir(folder_.path()).mkdir("work"));
    QString notes;
    for (int i = 0; i < 20; ++i)
      notes +=
          QString("On day %1 Mara Holt paid %2 crowns to the mill of Orsay, and Ada Quill wrote letter %3 about it. ")
              .arg(i)
              .arg(7 * i + 300)
              .arg(i * i);
    QVERIFY(write_text_file(folder_.filePath("work/notes.txt").toStdString(), notes.toStdString()));
    std::string trace;
    for (std::uint64_t i = 0; i < 40; ++i) trace += mooncake_line(i * 500, 1024, std::to_string(i % 5) + ", 7");
    QVERIFY(write_text_file(folder_.filePath("work/trace.jsonl").toStdString(), trace));
    QVERIFY(write_text_file(folder_.filePath("work/curves.csv").toStdString(),
                            "dataset,method,removed,quality\nqa,none,0,0.9\nqa,snapkv,0.5,0.7\n"));
    const Answer window = call_window({"--help-all"});
    QVERIFY2(window.exit_code == 0, window.text());
    window_help_ = window.out;
  }

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

  void everyOptionShownIsThere_data() {
    QTest::addColumn<QString>("file");
    QTest::newRow("README.md") << "README.md";
    const QDir root(KVANTAGE_SOURCE_DIR);
    QDirIterator documents(root.filePath("docs"), {"*.md"}, QDir::Files, QDirIterator::Subdirectories);
    while (documents.hasNext()) {
      const QString file = root.relativeFilePath(documents.next());
      QTest::newRow(qPrintable(file)) << file;
    }
  }
  void everyOptionShownIsThere() {
    QFETCH(QString, file);
    const QString text = text_of_file(file), window = window_help_;
    for (const QString& line : shown_commands(text) + inline_commands(text)) {
      const QStringList words = words_of(line);
      if (words.isEmpty() || (words.front() != "kvantage" && words.front() != "kvantage-cli")) continue;
      const bool of_window = words.front() == "kvantage";
      const QString known = of_window ? window : section_of(reference_, words) + "`--help `--help-all `--version ";
      if (!of_window && words.size() > 1 && words[1] != "reference" &&
          words[1].contains(QRegularExpression("^[a-z]+$")))
        QVERIFY2(!section_of(reference_, words).isEmpty() || reference_.contains("\n## kvantage-cli " + words[1] + ' '),
                 qPrintable("docs/cli.md has no such command: " + line));
      for (const QString& option : options_of(words))
        QVERIFY2(known.contains(QRegularExpression("[ `,]" + QRegularExpression::escape(option) + "[` ,\n]")),
                 qPrintable(option + " is no option of: " + line));
    }
  }

  // As a shell runs it, in an empty folder with an empty cache. The order is that of the documents: an export follows
  // its run.
  void everyExampleRuns_data() {
    QTest::addColumn<QString>("line");
    for (const QString& line : first_examples())
      if (is_of("kvantage-cli", line)) QTest::newRow(qPrintable(line)) << line;
  }
  void everyExampleRuns() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    QFETCH(QString, line);
    QString command = shortened(line);
    command.replace(QRegularExpression("\\bMODEL\\b"), text_of(model_directory()));
    static const QRegularExpression placeholder("(^|[ =])[A-Z]{3,}\\b");
    QVERIFY2(!command.contains(placeholder), qPrintable("the test has nothing to put in place of a word: " + line));
    const Answer answer =
        call_words({"env", "-C", folder_.filePath("work"), "KVANTAGE_CACHE=" + folder_.filePath("cache"),
                    "PATH=" KVANTAGE_BINARY_DIR "/app:" + qEnvironmentVariable("PATH"), "sh", "-c", command});
    QVERIFY2(answer.exit_code == 0 && !(answer.out + answer.error).isEmpty(), answer.text());
    QVERIFY2(!answer.error.contains("error: "), answer.text());
    const QStringList words = words_of(line);
    for (const char* written : {"--out", "--report-dir"})
      if (const qsizetype at = words.indexOf(written); at > 0)
        QVERIFY2(QFileInfo::exists(folder_.filePath("work/" + words[at + 1])), answer.text());
  }

  void theScriptHasTheOptionsShown() {
    const QString script = text_of_file("run");
    int shown = 0;
    for (const QString& line : first_examples()) {
      if (!line.startsWith("./run")) continue;
      ++shown;
      for (const QString& option : options_of(words_of(line))) QVERIFY2(script.contains(option), qPrintable(line));
    }
    QVERIFY(shown >= 2);
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
