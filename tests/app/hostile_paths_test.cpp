// links: kv_reports kv_cli_program
// A loop of links and a name that no file system takes, wherever a path is given: one line and exit code 3. A word of
// any length: a line that still fits a screen and says what to do.
#include <sys/stat.h>

#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>

#include "tests/support/command_line.h"
#include "tests/support/forked_command_line.h"
#include "tests/support/test_program.h"

namespace hostile_paths_test {

using namespace kvantage::test;

class HostilePathsTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

 private slots:
  void arePlainErrors_data() {
    QTest::addColumn<QStringList>("words");
    const std::filesystem::path loop = folder_.filePath("loop").toStdString();
    std::filesystem::create_symlink("loop", loop);
    const QString name = folder_.filePath(QString(300, 'a')), run = folder_.filePath("store");
    for (const QString& path : {text_of(loop), text_of(loop / "below"), name}) {
      const auto row = [&](const char* what, const QStringList& words) {
        QTest::addRow("%s, %s", what,
                      path == name             ? "long name"
                      : path.endsWith("below") ? "below a loop"
                                               : "loop")
            << words;
      };
      row("run", {"run", path, "--store", run});
      row("workload check", {"workload", "check", path});
      row("workload import", {"workload", "import", path, "--out", folder_.filePath("out")});
      row("workload make --out", {"workload", "make", "--out", path});
      row("model info", {"model", "info", path});
      row("model check", {"model", "check", path});
      row("--model", {"run", "quickstart", "--store", run, "--model", path});
      row("--db", {"run", "quickstart", "--store", run, "--db", path});
      row("--store", {"run", "quickstart", "--store", path});
      row("sweep --out", {"sweep", "quickstart", "--out", path});
      row("report --db", {"report", "--db", path});
      row("runs list --db", {"runs", "list", "--db", path});
      row("store stat", {"store", "stat", path});
      row("store check", {"store", "check", path});
      row("trace info", {"trace", "info", path});
    }
  }
  void arePlainErrors() {
    QFETCH(QStringList, words);
    const Answer answer = call_forked(words);
    QVERIFY2(answer.exit_code == 3 && answer.error_lines().size() == 1 && answer.out.isEmpty(), answer.text());
    QVERIFY2(answer.error.startsWith("error: ") && answer.is_of_short_lines(), answer.text());
  }

  // Where nothing names a folder for sockets, Qt would take one of a known name in /tmp, and say so.
  void theWindowSaysOneLineOfAPipe() {
    const QString pipe = folder_.filePath("pipe"), runtime = folder_.filePath(".cache/kvantage/runtime");
    QCOMPARE(::mkfifo(pipe.toLocal8Bit().constData(), 0600), 0);
    const Answer answer = call_words({"env", "-u", "XDG_RUNTIME_DIR", "-u", "XDG_CACHE_HOME", "-u", "KVANTAGE_CACHE",
                                      "HOME=" + folder_.path(), "QT_QPA_PLATFORM=offscreen", window_program(), pipe});
    QVERIFY2(answer.exit_code == 3 && answer.error_lines().size() == 1, answer.text());
    QVERIFY2(answer.error.startsWith("error: " + pipe), answer.text());
    struct stat facts {};
    QCOMPARE(::stat(runtime.toLocal8Bit().constData(), &facts), 0);
    QCOMPARE(facts.st_mode & 07777, mode_t{0700});
  }

  void overlongWordsAreCut_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<int>("exit_code");
    QTest::addColumn<QString>("begin");
    QTest::addColumn<QString>("end");
    const auto row = [](const char* name, const QStringList& words, int exit_code, const char* begin, const char* end) {
      QTest::newRow(name) << words << exit_code << QString(begin) << QString(end);
    };
    const QString name(4000, 'a'), x(60'000, 'x'), nines(5000, '9'), foreign = QString(5000, QChar(0x6587));
    row("workload", {"run", "/tmp/" + name}, 3, "/tmp/aaa", "questions.jsonl");
    row("database", {"runs", "list", "--db", "/tmp/" + name}, 3, "/tmp/aaa", "");
    row("model", {"model", "info", "/tmp/" + name}, 3, "/tmp/aaa", "");
    row("trace", {"trace", "info", foreign}, 3, "", "; check the path");
    row("tier", {"run", "quickstart", "--tier", "ssd=5MiB," + x + "=1"}, 2, "tier 'ssd=5MiB,xxx",
        " of a remote store, and url, ca, seal_key_file, connect, timeout of a bucket");
    row("number", {"run", "quickstart", "--limit", nines}, 2, "--limit: '999", "; try 'kvantage-cli run --help'");
    row("preset", {"simulate", "--preset", x, "t.csv"}, 2, "--preset: unknown preset 'xxx", "");
    row("numbers", {"sweep", "quickstart", "--out", "o", "--rate", x}, 2, "--rate: 'xxx", "; write it like 0.1,1,10");
    row("command", {QString(5000, 'x')}, 2, "unknown command 'xxx", "; try 'kvantage-cli --help'");
    row("foreign command", {foreign}, 2, "unknown command '", "; try 'kvantage-cli --help'");
    row("option", {"run", "--" + QString(5000, 'x')}, 2, "'--xxx", "; try 'kvantage-cli run --help'");
    row("option with a value", {"run", "quickstart", "--" + QString(5000, 'x') + "=3"}, 2, "'--xxx",
        "; try 'kvantage-cli run --help'");
    row("word too many", {"methods", QString(5000, 'x')}, 2, "'xxx", "; try 'kvantage-cli methods --help'");
    row("words", {"methods", QString("a ").repeated(5000)}, 2, "'a a a ", "; try 'kvantage-cli methods --help'");
    row("choice", {"completion", QString(5000, 'x')}, 2, "SHELL: unknown value 'xxx",
        "; try 'kvantage-cli completion --help'");
  }
  void overlongWordsAreCut() {
    QFETCH(QStringList, words);
    QFETCH(int, exit_code);
    QFETCH(QString, begin);
    QFETCH(QString, end);
    const Answer answer = call_forked(words);
    QVERIFY2(answer.exit_code == exit_code && answer.out.isEmpty(), answer.text());
    QVERIFY2(answer.error_lines().size() == 1 && answer.is_of_short_lines(), answer.text());
    QVERIFY2(answer.error.startsWith("error: " + begin) && answer.error.endsWith(end + "\n"), answer.text());
    QVERIFY2(answer.error.contains(QChar(0x2026)), answer.text());
  }
};

KV_TEST_GUILESS_MAIN(HostilePathsTest)

}  // namespace hostile_paths_test

#include "hostile_paths_test.moc"
