// links: kv_base kv_cli_program
// What the parser refuses is said in one line: what is wrong, why, and what to write.
#include <QtTest>

#include "tests/support/command_line.h"
#include "tests/support/forked_command_line.h"
#include "tests/support/test_program.h"

namespace usage_error_test {

using namespace kvantage::test;

class UsageErrorTest : public QObject {
  Q_OBJECT

  /// Without Qt's own notes on the environment.
  static QString window_error(const QStringList& words) {
    return call_window(words).error.remove(QRegularExpression("^QStandardPaths: [^\n]*\n"));
  }

 private slots:
  void oneLineSaysWhatToWrite_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("error");
    QTest::addColumn<QString>("command");
    const auto row = [](const char* what, const char* line, const char* error, const char* command) {
      QTest::newRow(what) << QString(line) << QString(error) << QString(command);
    };
    row("no number", "run quickstart --alpha abc", "--alpha: 'abc' is not a number; give one", "run");
    row("below a range", "run quickstart --limit 0", "--limit: '0' is not a whole number from 1 to 10000000; give one",
        "run");
    row("above a range", "model logits x --threads 5000",
        "--threads: '5000' is not a whole number from 0 to 1024; give one", "model logits");
    row("part of a number", "run quickstart --threads 1.5",
        "--threads: '1.5' is not a whole number from 0 to 1024; give one", "run");
    row("zero", "replay x --speed 0", "--speed: '0' is not a number above 0; give one", "replay");
    row("negative", "run quickstart --reprofile-threshold -1",
        "--reprofile-threshold: '-1' is not a number, 0 or more; give one", "run");
    row("no rule", "run quickstart --reprofile-when 0.3",
        "--reprofile-when: '0.3' is not a re-profiling rule; write below(0.7), relative(0.3) or absolute(0.3)", "run");
    row("rule beyond a quality", "run quickstart --reprofile-when absolute(30)",
        "--reprofile-when: 'absolute(30)' has no number from 0 to 1; write absolute(0.3)", "run");
    row("rule and its former spelling", "run quickstart --reprofile-when below(0.7) --reprofile-threshold 0.3",
        "--reprofile-when and --reprofile-threshold exclude each other; give one of them", "run");
    row("share of more than all", "run quickstart --reprofile-share 1.5",
        "--reprofile-share: '1.5' is not a number from 0 to 1; give one", "run");
    row("negative count", "trace info x --limit -1",
        "--limit: '-1' is not a whole number from 0 to 9223372036854775807; give one", "trace info");
    row("fraction", "kept --model x --text-file y --removed 1",
        "--removed: '1' is not a number from 0 to below 1; write it like 0.5", "kept");
    row("no value", "run quickstart --seed", "--seed: its value is missing; write '--seed INT'", "run");
    row("no choice", "run quickstart --compute-or-load",
        "--compute-or-load: its value is missing; write '--compute-or-load auto'", "run");
    row("twice", "run quickstart --limit 5 --limit 6", "--limit: is given 2 times; give it once", "run");
    row("flag with a value", "run quickstart --details=3", "--details takes no value; write '--details' alone", "run");
    row("flag that is off with a value", "kept --model x --text-file y --no-scores=2",
        "--no-scores takes no value; write '--no-scores' alone", "kept");
    row("flag of a nested command", "model check x --fp32=0", "--fp32 takes no value; write '--fp32' alone",
        "model check");
    row("no argument", "replay", "RUN is missing; write 'kvantage-cli replay RUN'", "replay");
    row("no second argument", "runs export last", "FILE is missing; write 'kvantage-cli runs export RUN FILE'",
        "runs export");
    row("no required option", "kept", "--model is missing; add '--model TEXT'", "kept");
    row("two that exclude each other", "kept --model x --tokens a --text-file b",
        "--text-file and --tokens exclude each other; give one of them", "kept");
    row("one without another", "kept --model x --question q", "--question: needs --text-file; add it", "kept");
    row("half a command", "trace", "a subcommand is missing; choose one of info, import", "trace");
  }
  void oneLineSaysWhatToWrite() {
    QFETCH(QString, line);
    QFETCH(QString, error);
    QFETCH(QString, command);
    const Answer answer = call_forked(line.split(' '));
    QVERIFY2(answer.exit_code == 2 && answer.out.isEmpty(), answer.text());
    QCOMPARE(answer.error, QString("error: %1; try 'kvantage-cli %2 --help'\n").arg(error, command));
  }

  void theWindowSaysTheSame() {
    QCOMPARE(window_error({"--threads", "-1"}),
             QString("error: --threads: '-1' is not a whole number from 0 to 1024; give one; try 'kvantage --help'\n"));
    QCOMPARE(window_error({"--screenshots", "pictures", "--screenshot-text", "300"}),
             QString("error: --screenshot-text: '300' is not a whole number from 80 to 200; give one; "
                     "try 'kvantage --help'\n"));
    QCOMPARE(window_error({"--wait=3"}),
             QString("error: --wait takes no value; write '--wait' alone; try 'kvantage --help'\n"));
    QCOMPARE(window_error({"--scenes", "x"}),
             QString("error: --scenes: needs --screenshots; add it; try 'kvantage --help'\n"));
  }
};

KV_TEST_GUILESS_MAIN(UsageErrorTest)

}  // namespace usage_error_test

#include "usage_error_test.moc"
