// links: kv_reports profiles
// kvantage-cli with Parquet: `report --format parquet` and `sweep --parquet` write what their CSV files hold, with a
// module that is loaded for it; without one they say what is missing, before anything is read, served or written.
#include <QtTest>

#include "core/base/files.h"
#include "tests/app/two_recorded_runs.h"
#include "tests/support/command_line.h"
#include "tests/support/parquet_files.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace parquet_command_test {

using namespace kvantage;
using namespace kvantage::test;
using std::filesystem::path;

class ParquetCommandTest : public QObject, private TwoRecordedRuns {
  Q_OBJECT

  static Answer call_with(const path& module, const QStringList& arguments) {
    return call(arguments, {"env", "KVANTAGE_PARQUET_MODULE=" + text_of(module)});
  }

 private slots:
  void initTestCase() { QVERIFY(record_runs()); }

  void withoutAModuleAReportSaysWhatIsMissing() {
    for (const QString& formats : {QStringLiteral("parquet"), QStringLiteral("html,parquet")}) {
      const Answer answer = call_with("/nowhere/module.so", {"report", "--db", database_, "--run", "both", "--out",
                                                             text("refused"), "--format", formats});
      QVERIFY2(answer.exit_code == 2 && answer.out.isEmpty(), answer.text());
      QCOMPARE(answer.error_lines(),
               QStringList{"error: Parquet: there is no file /nowhere/module.so; name the module in "
                           "KVANTAGE_PARQUET_MODULE, or unset it"});
      QVERIFY(!std::filesystem::exists(at("refused")));
    }
  }

  void withoutAModuleASweepDoesNotBegin() {
    const Answer answer = call_with("/nowhere/module.so", {"sweep", "quickstart", "--out", text("sweep"), "--parquet"});
    QVERIFY2(answer.exit_code == 2 && answer.out.isEmpty() && answer.error_lines().size() == 1, answer.text());
    QVERIFY2(answer.error.contains("there is no file /nowhere/module.so"), answer.text());
    QVERIFY(!std::filesystem::exists(at("sweep")));
  }

  // Nothing but Parquet needs the module.
  void otherFormatsDoNotLoadIt() {
    const Answer answer = call_with("/nowhere/module.so", {"report", "--db", database_, "--run", "both", "--out",
                                                           text("others"), "--format", "html,json,csv,latex"});
    QVERIFY2(answer.exit_code == 0, answer.text());
  }

  void parquetHoldsWhatCsvHolds_data() {
    QTest::addColumn<QString>("module");
    QTest::newRow("a module that writes JSON") << text_of(parquet_double());
    QTest::newRow("Parquet, read by pyarrow") << text_of(parquet_module());
  }
  void parquetHoldsWhatCsvHolds() {
    QFETCH(QString, module);
    const bool real = module == text_of(parquet_module());
    if (const QString why = real ? no_pyarrow() : QString(); !why.isEmpty()) QSKIP(qPrintable(why));
    const std::string folder = real ? "real" : "double";
    const Answer answer = call_with(module.toStdString(), {"report", "--db", database_, "--run", "both", "--out",
                                                           text(folder), "--format", "csv,parquet"});
    QVERIFY2(answer.exit_code == 0, answer.text());
    QCOMPARE(answer.error_lines().size(), qsizetype{7});
    QVERIFY2(answer.error.contains("report: " + text(folder + "/report_requests.parquet")), answer.text());
    const auto read = [&](const std::string& name) {
      return real ? read_by_pyarrow(at(folder) / name) : read_json_file(at(folder) / name);
    };
    for (const std::string name : {"report", "report_charts", "report_facts"}) {
      const auto table = read(name + ".parquet");
      QVERIFY2(table.has_value(), table ? "" : table.error().message.c_str());
      const Rows csv = csv_rows(bytes_of(text(folder + "/" + name + ".csv")));
      const QStringList found = differences_to_csv(table->at("columns"), csv);
      QVERIFY2(csv.size() > 10 && found.isEmpty(), qPrintable(found.mid(0, 10).join('\n')));
      QVERIFY(!table->at("facts").at("kvantage.claim").get<std::string>().empty());
    }
    const auto requests = read("report_requests.parquet");
    QVERIFY2(requests.has_value(), requests ? "" : requests.error().message.c_str());
    for (const Json& column : requests->at("columns")) QCOMPARE(column.at("cells").size(), std::size_t{80});
    QCOMPARE(requests->at("columns")[0].at("name").get<std::string>(), std::string("run"));
    QCOMPARE(requests->at("columns")[0].at("cells")[79].get<std::string>(), std::string("B"));
    QCOMPARE(requests->at("columns")[1].at("cells")[79].get<std::string>(), std::string("evicpress-id"));
    // Private, as all that holds questions and answers.
    QCOMPARE(std::filesystem::status(at(folder) / "report_requests.parquet").permissions(),
             std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  }

  void aSweepWritesItsTable() {
    if (model_directory().empty()) QSKIP("no model to serve with: resources/model or ../shared/data/models/trial-qa");
    QVERIFY(write_workload(small_workload(4, 12, 5), at("workload")).has_value());
    const Answer answer = call_with(parquet_double(), {"sweep",     text("workload"),
                                                       "--model",   text_of(model_directory()),
                                                       "--tier",    "dram=600KiB",
                                                       "--tier",    "ssd=1MiB",
                                                       "--out",     text("swept"),
                                                       "--limit",   "4",
                                                       "--policy",  "lru",
                                                       "--seeds",   "1",
                                                       "--threads", "1",
                                                       "--quiet",   "--parquet"});
    QVERIFY2(answer.exit_code == 0, answer.text());
    const auto table = read_json_file(at("swept/sweep.parquet"));
    QVERIFY2(table.has_value(), table ? "" : table.error().message.c_str());
    const QStringList found = differences_to_csv(table->at("columns"), csv_rows(bytes_of(text("swept/sweep.csv"))));
    QVERIFY2(found.isEmpty(), qPrintable(found.join('\n')));
    const auto cells = read_json_file(at("swept/cells.parquet"));
    QVERIFY2(cells.has_value(), cells ? "" : cells.error().message.c_str());
    const QStringList other = differences_to_csv(cells->at("columns"), csv_rows(bytes_of(text("swept/cells.csv"))));
    QVERIFY2(other.isEmpty(), qPrintable(other.join('\n')));
    QCOMPARE(cells->at("columns")[0].at("cells").size(), std::size_t{1});
  }
};

KV_TEST_GUILESS_MAIN(ParquetCommandTest)

}  // namespace parquet_command_test

#include "parquet_command_test.moc"
