// links: kv_reports kv_cli_program
// A loop of links and a name that no file system takes, wherever a path is given: one line and exit code 3.
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
    QVERIFY2(answer.error.startsWith("error: "), answer.text());
  }
};

KV_TEST_GUILESS_MAIN(HostilePathsTest)

}  // namespace hostile_paths_test

#include "hostile_paths_test.moc"
