// links: kv_base kv_cli_program
// Every command's --help fits a terminal of 80 columns and 40 lines, or says where the rest is; --help-all leaves
// nothing out. `help COMMAND` prints the same, and the window's help has the same form.
#include <QtTest>

#include "tests/support/command_line.h"
#include "tests/support/forked_command_line.h"
#include "tests/support/test_program.h"

namespace help_text_test {

using namespace kvantage::test;

class HelpTextTest : public QObject {
  Q_OBJECT

  static void fits_columns(const Answer& answer) {
    QVERIFY2(answer.exit_code == 0, answer.text());
    // But for a word that is longer than the column of descriptions and has no place to break it.
    const QRegularExpression long_word("[^\\s,\\[]{53}");
    for (const QString& line : answer.out.split('\n'))
      QVERIFY2(line.size() <= 80 || line.contains(long_word), qPrintable(line));
  }

  // A description that is cut short is cut before a parenthesis, not inside.
  static void parentheses_match(const Answer& answer) {
    QCOMPARE(answer.out.count('('), answer.out.count(')'));
    for (const QString& line : answer.out.split('\n'))
      QVERIFY2(!line.endsWith("...") || line.count('(') == line.count(')'), qPrintable(line));
  }

 private slots:
  void everyCommand_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QStringList>("descriptions");
    QTest::newRow("program") << QStringList() << QStringList{"run", "compare", "workload"} << QStringList();
    QFile file(QString(KVANTAGE_SOURCE_DIR) + "/docs/cli.md");
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QStringList sections = QString::fromUtf8(file.readAll()).split("\n## kvantage-cli ").mid(1);
    QVERIFY(sections.size() > 20);
    for (const QString& section : sections) {
      QStringList options, descriptions;
      for (const QString& item : section.split("\n- `").mid(1)) {
        options << item.section(QRegularExpression("[ ,`=\n]"), 0, 0);
        descriptions << item.simplified().section("`", 1).section(": ", 1);
      }
      const QString command = section.section('\n', 0, 0);
      QTest::newRow(qPrintable(command)) << command.split(' ') << options << descriptions;
    }
  }
  void everyCommand() {
    QFETCH(QStringList, words);
    QFETCH(QStringList, options);
    QFETCH(QStringList, descriptions);
    const Answer help = call_forked(words + QStringList{"--help"});
    fits_columns(help);
    parentheses_match(help);
    if (QTest::currentTestFailed()) return;
    QVERIFY2(help.out.count('\n') <= 40 || help.out.contains("--help-all\n"), help.text());
    // Short or not, each option has its line.
    for (const QString& option : options) QVERIFY2(help.out.contains(option), qPrintable(option));
    QCOMPARE(call_forked(QStringList{"help"} + words).out, help.out);
    if (words.isEmpty()) return;
    const Answer all = call_forked(words + QStringList{"--help-all"});
    fits_columns(all);
    parentheses_match(all);
    for (const QString& option : options) QVERIFY2(all.out.contains(option), qPrintable(option));
    const auto dense = [](QString text) { return text.remove(QRegularExpression("\\s")); };  // long words are broken
    for (const QString& text : descriptions)
      QVERIFY2(!text.isEmpty() && dense(all.out).contains(dense(text)), qPrintable(text));
  }

  // A type once, with its range, and a flag by its name alone.
  void valuesAreOfPlainTypes() {
    const Answer reference = call_forked({"reference"});
    static const QRegularExpression checks("\n- `[^`]*(UINT|[A-Z]:[A-Z{]|NEGATIVE|POSITIVE| in \\[|\\{false\\})[^`]*`");
    const auto match = checks.match(reference.out);
    QVERIFY2(!match.hasMatch(), qPrintable(match.captured()));
    for (const char* shown : {"- `--max-batch INT, 1 to 64`:", "- `--speed FLOAT, above 0`:",
                              "- `--reprofile-threshold FLOAT, 0 or more`:", "- `--seeds INT=3, 1 to 1000`:",
                              "- `--mode {auto,blocks,contexts}=auto`:", "- `--removed FLOAT=0.5, 0 to below 1`:"})
      QVERIFY2(reference.out.contains(shown), shown);
    const Answer kept = call_forked({"kept", "--help"});
    QVERIFY2(kept.out.contains("--no-scores ") && !kept.out.contains("{false}"), kept.text());
    QVERIFY2(call_forked({"run", "--help-all"}).out.contains("--max-batch INT, 1 to 64 "), "run");
  }

  // Which number of threads is the default, in the same words.
  void threadsAreSaid_data() {
    QTest::addColumn<QString>("command");
    QTest::addColumn<int>("number");
    for (const char* command : {"run", "profile", "sweep", "kept", "model check", "model generate", "model logits"})
      QTest::newRow(command) << command << 0;
    QTest::newRow("model train") << "model train" << 2;
  }
  void threadsAreSaid() {
    QFETCH(QString, command);
    QFETCH(int, number);
    const QString help = call_forked(command.split(' ') + QStringList{"--help-all"}).out.simplified();
    const QString said = QString("--threads INT=%1, 0 to 1024 Compute threads; 0: one per core").arg(number);
    QVERIFY2(help.contains(said), qPrintable(help));
  }

  void groupsOfCommands_data() {
    QTest::addColumn<QString>("group");
    for (const char* group : {"runs", "session", "model", "store", "trace", "workload"}) QTest::newRow(group) << group;
  }
  void groupsOfCommands() {
    QFETCH(QString, group);
    for (const char* option : {"--help", "--help-all"}) {
      const Answer help = call_forked({group, option});
      fits_columns(help);
      parentheses_match(help);
    }
    QCOMPARE(call_forked({"help", group}).out, call_forked({group, "--help"}).out);
  }

  // Commands below commands are indented, and no wider for it.
  void theWholeProgram() {
    const Answer all = call({"--help-all"});
    fits_columns(all);
    parentheses_match(all);
    QVERIFY(all.out.count('\n') > 300);
  }

  // What this and other tests ask a copy of their process is what the program itself says.
  void aCopyAnswersAsTheProgram_data() {
    QTest::addColumn<QStringList>("words");
    QTest::newRow("help") << QStringList{"--help-all"};
    QTest::newRow("refusal") << QStringList{"rum"};
    QTest::newRow("failure") << QStringList{"workload", "check", "/nowhere/ü"};
  }
  void aCopyAnswersAsTheProgram() {
    QFETCH(QStringList, words);
    const Answer program = call(words), copy = call_forked(words);
    QCOMPARE(copy.exit_code, program.exit_code);
    QCOMPARE(copy.out, program.out);
    QCOMPARE(copy.error, program.error);
    QVERIFY(program.out.isEmpty() != program.error.isEmpty());
  }

  void helpOfWhatIsNotThere() {
    const Answer nested = call_forked({"help", "workload", "mkae"});
    QVERIFY2(nested.exit_code == 2 && nested.error.contains("did you mean 'workload make'?"), nested.text());
    const Answer nothing_near = call_forked({"help", "zzzzzzzz"});
    QCOMPARE(nothing_near.error, QString("error: unknown command 'zzzzzzzz'; kvantage-cli --help lists them\n"));
  }

  void theWindow_data() {
    QTest::addColumn<QString>("option");
    QTest::newRow("short") << "--help";
    QTest::newRow("in full") << "--help-all";
  }
  void theWindow() {
    QFETCH(QString, option);
    const Answer help = call_window({option});
    fits_columns(help);
    parentheses_match(help);
    for (const char* shown : {"--tier", "--language {en,zh_CN}", "--screenshot-theme {light,dark}", "WORKLOAD"})
      QVERIFY2(help.out.contains(shown), help.text());
  }

  void theWindowSaysWhatTheCommandLineSays() {
    const QString window = call_window({"--help-all"}).out.simplified();
    const QString run = call_forked({"run", "--help-all"}).out.simplified();
    for (const auto& [from, to] :
         {std::pair{"NAME=BUDGET", "session.json)"}, std::pair{"Questions generated", "requests"}}) {
      const qsizetype begin = run.indexOf(from);
      QVERIFY(begin > 0);
      const QString said = run.mid(begin, run.indexOf(to, begin) - begin);
      QVERIFY2(window.contains(said), qPrintable(said));
    }
  }
};

KV_TEST_GUILESS_MAIN(HelpTextTest)

}  // namespace help_text_test

#include "help_text_test.moc"
