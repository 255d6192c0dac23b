// links: kv_reports kv_cli_program
// `trace info` as a user starts it: metrics for people and for machines, and one line for what cannot be read.
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/files.h"
#include "core/base/json.h"
#include "tests/support/command_line.h"
#include "tests/support/forked_command_line.h"
#include "tests/support/test_program.h"
#include "tests/trace/samples.h"

namespace trace_command_test {

using namespace kvantage;
using namespace kvantage::test;

class TraceCommandTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  QString file(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = std::filesystem::path(folder_.path().toStdString()) / name;
    if (!write_text_file(path, text)) qFatal("cannot write %s", path.c_str());
    return text_of(path);
  }

 private slots:
  void machinesGetEveryFigure() {
    const Answer answer = call_forked({"trace", "info", file("trace.jsonl", samples().at("mooncake")), "--json",
                                       "--capacity-blocks", "2,3,unlimited", "--time-scale", "2"});
    QVERIFY2(answer.exit_code == 0, answer.text());
    const Json json = Json::parse(answer.out.toStdString());
    QCOMPARE(json.at("format"), "mooncake");
    QCOMPARE(json.at("rows_read"), 3);
    QCOMPARE(json.at("emitted"), 3);
    QCOMPARE(json.at("span_seconds").get<double>(), 2 * 3.053);
    QCOMPARE(json.at("blocks"), 8);
    QCOMPARE(json.at("distinct_blocks"), 4);
    QCOMPARE(json.at("distinct_contexts"), 2);
    const Json& lru = json.at("lru");
    QCOMPARE(lru.size(), std::size_t{3});
    QCOMPARE(lru[1].at("prefix_block_hit_rate").get<double>(),
             2.0 / 8);  // 46 twice; 47 is gone when it comes again, so 2353 is no hit
    QCOMPARE(lru[2].at("prefix_block_hit_rate").get<double>(), 4.0 / 8);
    QVERIFY(lru[2].at("capacity_blocks").is_null());
  }

  void peopleSeeTheAccount() {
    const Answer answer = call_forked({"trace", "info", file("burst.csv", samples().at("burstgpt"))});
    QVERIFY2(answer.exit_code == 0, answer.text());
    QVERIFY2(answer.out.contains("3 rows read = 2 requests + 1 dropped\n  1 failed, no response tokens\n"),
             answer.text());
    QVERIFY2(answer.out.contains("the trace does not say what requests share"), answer.text());
  }

  void anErrorOfARowNamesTheFileOnce() {
    const QString trace = file("cut.jsonl", samples().at("mooncake") + "{\"timestamp\": 5");
    const Answer answer =
        call_forked({"trace", "import", trace, "--workload",
                     QStringLiteral(KVANTAGE_SOURCE_DIR "/sample_workloads/quickstart"), "--out", trace + ".out"});
    QVERIFY2(answer.exit_code == 3 && answer.error.contains("cut.jsonl:4: not valid JSON"), answer.text());
    QCOMPARE(answer.error.count("cut.jsonl"), 1);
  }

  void whatCannotBeReadIsOneLine_data() {
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("exit_code");
    QTest::addColumn<QString>("part");
    QTest::newRow("cut row") << QStringList{} << QString::fromStdString(samples().at("mooncake").substr(0, 150)) << 3
                             << "cut.jsonl:2: not valid JSON";
    QTest::newRow("no trace") << QStringList{} << "once upon a time" << 3
                              << "cut.jsonl:1: is in none of the known formats";
    QTest::newRow("another format") << QStringList{"--format", "azure"} << "a,b\n"
                                    << 3 << "cut.jsonl:1: there is no column 'TIMESTAMP'";
    QTest::newRow("unknown format") << QStringList{"--format", "vllm"} << "a" << 2
                                    << "--format: 'vllm' is none of auto, mooncake";
    QTest::newRow("no scale") << QStringList{"--time-scale", "0"} << "a" << 2 << "the time scale must be above 0";
    QTest::newRow("no capacity") << QStringList{"--capacity-blocks", "10,many"} << "a" << 2
                                 << "--capacity-blocks: 'many' is not a number of blocks";
    QTest::newRow("negative limit") << QStringList{"--limit", "-1"} << "a" << 2 << "--limit";
  }
  void whatCannotBeReadIsOneLine() {
    QFETCH(QStringList, options);
    QFETCH(QString, text);
    QFETCH(int, exit_code);
    QFETCH(QString, part);
    const Answer answer = call_forked(QStringList{"trace", "info", file("cut.jsonl", text.toStdString())} + options);
    QCOMPARE(answer.exit_code, exit_code);
    QCOMPARE(answer.error_lines().size(), 1);
    QVERIFY2(answer.error.contains(part) && answer.error.contains("; "), answer.text());
    QVERIFY(answer.out.isEmpty());
  }
};

KV_TEST_GUILESS_MAIN(TraceCommandTest)

}  // namespace trace_command_test

#include "trace_command_test.moc"
