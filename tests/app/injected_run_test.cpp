// links: kv_reports profiles
// A recorded run of somebody else's, with injected text in every field that a reader accepts: what commands print has
// no control characters, and what they write no markup, formula or LaTeX command of it.
#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/files.h"
#include "profiles/run_file.h"
#include "profiles/stores.h"
#include "tests/support/command_line.h"
#include "tests/support/injected_texts.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_program.h"

namespace injected_run_test {

using namespace kvantage;
using namespace kvantage::test;
using std::filesystem::path;

class InjectedRunTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  QStringList ids_;

  path database() const { return folder_.filePath("runs.db").toStdString(); }

  /// Into the database itself: files of runs refuse some of it.
  void add(Stores& stores, const std::string& golden) {
    const path file = path(KVANTAGE_SOURCE_DIR) / "tests/goldens" / golden;
    auto run = run_from_text(read_text_file(file).value(), file.string());
    QVERIFY2(run.has_value(), run ? "" : run.error().message.c_str());
    RunSummary& summary = run->summary;
    for (std::string* text : {&summary.run_id, &summary.policy, &summary.outcome}) *text = injected_text + *text;
    summary.settings = injected(summary.settings, [](const Json&) { return true; });
    const RunNotes notes{.text = injected_text, .tags = {}};
    QVERIFY(stores.import_run(summary, injected(run->events), notes));
    ids_ << QString::fromStdString(summary.run_id);
  }
  static void check_printed(const Answer& answer) {
    for (const QString& printed : {answer.out, answer.error}) {
      const std::string text = printed.toStdString();
      const std::size_t at = first_hidden(text);
      QVERIFY2(at == std::string::npos, around(text, at).c_str());
    }
  }

 private slots:
  void initTestCase() {
    auto stores = open_stores(database(), StoreAccess::read_write, machine_clock());
    QVERIFY(stores.has_value());
    for (const char* golden : {"run-version-1.kvrun", "written/2026-11/run.kvrun"}) add(**stores, golden);
  }

  void nothingPrintedIsACommand_data() {
    QTest::addColumn<QStringList>("words");
    QTest::newRow("list") << QStringList{"runs", "list"};
    QTest::newRow("replay") << QStringList{"replay", "last"};
    QTest::newRow("replay, details") << QStringList{"replay", "last", "--quiet", "--details"};
    QTest::newRow("report") << QStringList{"report", "last"};
    QTest::newRow("report, details") << QStringList{"report", "last", "--details"};
    QTest::newRow("compare") << QStringList{"compare", "RUNS"};
    QTest::newRow("compare, details") << QStringList{"compare", "RUNS", "--details"};
    QTest::newRow("export") << QStringList{"runs", "export", "last", folder_.filePath("run.kvrun")};
    QTest::newRow("a run that is not there") << QStringList{"report", "FORGED"};
  }
  void nothingPrintedIsACommand() {
    QFETCH(QStringList, words);
    if (const qsizetype at = words.indexOf("RUNS"); at >= 0) words = words.mid(0, at) + ids_ + words.mid(at + 1);
    const Answer answer = call(words + QStringList{"--db", text_of(database())});
    // A run of no valid name can be read, not exported.
    QVERIFY2(answer.exit_code == (words.last() == "FORGED" || words.contains("export") ? 3 : 0), answer.text());
    check_printed(answer);
    if (answer.exit_code == 0 && words[0] != "runs") QVERIFY2(answer.out.contains("FORGED"), answer.text());
  }

  void anImportIsPrintedPlainlyOrRefused() {
    const path golden = path(KVANTAGE_SOURCE_DIR) / "tests/goldens/run-version-1.kvrun";
    RunFile run = *run_from_text(read_text_file(golden).value(), golden.string());
    run.summary.run_id = injected_text;
    QVERIFY(write_text_file(folder_.filePath("named.kvrun").toStdString(), run_to_text(run)));
    const Answer answer = call({"runs", "import", folder_.filePath("named.kvrun"), "--db", folder_.filePath("b.db")});
    QVERIFY2(answer.exit_code == 3 && answer.error_lines().size() == 1, answer.text());
    check_printed(answer);
  }

  void nothingWrittenIsMarkup() {
    const QString out = folder_.filePath("report");
    const Answer answer =
        call({"report", "last", "--out", out, "--format", "html,json,csv,latex,pdf", "--db", text_of(database())});
    QVERIFY2(answer.exit_code == 0, answer.text());
    check_printed(answer);
    const QStringList files = QDir(out).entryList(QDir::Files);
    QVERIFY(files.size() >= 5);
    for (const QString& name : files) {
      QVERIFY2(!name.contains("FORGED"), qPrintable(name));
      const std::string text = read_text_file((out + "/" + name).toStdString()).value_or("");
      QVERIFY2(!text.empty() || name.endsWith("pdf"), qPrintable(name));
      if (name.endsWith("html"))
        QVERIFY(text.find("<img src") == std::string::npos && text.find("<a href=x") == std::string::npos);
      for (std::size_t at = 0; at < text.size();) {  // line by line
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(at, end - at);
        at = end + 1;
        if (name.endsWith("tex") && !line.starts_with("%"))
          QVERIFY2(line.find("\\FORGED") == std::string::npos, line.c_str());
        if (name.endsWith("csv"))
          QVERIFY2(!line.starts_with("=") && !line.starts_with("\"=") && line.find(",=") == std::string::npos &&
                       line.find(",\"=") == std::string::npos,
                   line.c_str());
      }
    }
  }

  void aWorkloadIsPrintedPlainly() {
    Workload workload = small_workload(2, 8, 1);
    workload.license = workload.description = injected_text;
    for (WorkloadContext& context : workload.contexts) context.family = injected_text;
    const path folder = folder_.filePath("workload").toStdString();
    if (!write_workload(workload, folder)) return;  // refused even earlier
    check_printed(call({"workload", "check", text_of(folder)}));
  }
};

KV_TEST_GUILESS_MAIN(InjectedRunTest)

}  // namespace injected_run_test

#include "injected_run_test.moc"
