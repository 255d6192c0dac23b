// links: kv_base
// Files in the form of published traces (tests/parity/make_format_samples.py): each is recognized by its content, and
// holds what the script that wrote it counted.
#include <QtTest>

#include <cmath>
#include <filesystem>

#include "core/base/json.h"
#include "core/trace/trace_summary.h"
#include "core/trace/trace_workload.h"
#include "core/workload/workload.h"
#include "tests/support/test_program.h"
#include "tests/trace/samples.h"

namespace published_formats_test {

using namespace kvantage;
using namespace kvantage::test;
namespace fs = std::filesystem;

namespace {

const fs::path format_files = fs::path(KVANTAGE_SOURCE_DIR) / "tests/goldens/formats";

Json expected_traces() {
  const auto json = read_json_file(format_files / "expected.json");
  return json ? json->value("traces", Json::object()) : Json::object();
}

}  // namespace

class PublishedFormatsTest : public QObject {
  Q_OBJECT

 private slots:
  void everyFileIsReadAsItWasWritten_data() {
    QTest::addColumn<QString>("file");
    const Json expected = expected_traces();
    QVERIFY(expected.size() >= 11);
    for (const auto& [file, ignored] : expected.items()) QTest::newRow(file.c_str()) << QString::fromStdString(file);
  }
  void everyFileIsReadAsItWasWritten() {
    QFETCH(QString, file);
    const Json golden = expected_traces().at(file.toStdString());
    const auto trace = open_trace(format_files / file.toStdString());
    QVERIFY2(trace.has_value(), trace ? "" : trace.error().message.c_str());
    const auto summary = summarize_trace(**trace, std::vector<std::uint64_t>{4, LruCache::unlimited});
    QVERIFY2(summary.has_value(), summary ? "" : summary.error().message.c_str());
    QCOMPARE(std::string(summary->facts.format), golden.at("format").get<std::string>());
    QCOMPARE(summary->counts.rows_read, golden.at("rows").get<std::uint64_t>());
    QCOMPARE(summary->counts.emitted, golden.at("requests").get<std::uint64_t>());
    QCOMPARE(summary->input.total, golden.at("input_tokens").get<std::uint64_t>());
    QCOMPARE(summary->output.total, golden.at("output_tokens").get<std::uint64_t>());
    QCOMPARE(summary->blocks, golden.at("blocks").get<std::uint64_t>());
    QCOMPARE(summary->facts.block_tokens, golden.at("block_tokens").get<std::uint64_t>());
    QVERIFY(std::abs(summary->span_seconds - golden.at("span_seconds").get<double>()) < 1e-6);
    QVERIFY(summary->counts.balanced());
  }

  // A chat's context is the first of its conversation, also through a parent that is answered itself.
  void chatsOfAConversationAreOneContext() {
    const ReadTrace trace = read_trace(samples().at("qwen-bailian"));
    QVERIFY2(trace.error.empty(), trace.error.c_str());
    QCOMPARE(trace.requests.size(), std::size_t{2});
    QCOMPARE(trace.requests[0].context, trace.requests[1].context);
    QCOMPARE(trace.requests[1].arrival_seconds, 1.386);
    QCOMPARE(trace.facts.block_tokens, 16u);
  }

  void tokenIdsMakeBlocksThatNameWhatIsBefore() {
    const std::string line = R"({"output_toks": 1, "arrival_time_ns": 0, )";
    const auto ids = [](int from, int count) {
      std::string text;
      for (int i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + std::to_string(from + i);
      return text;
    };
    const ReadTrace trace =
        read_trace(line + R"("input_toks": 32, "input_tok_ids": [)" + ids(0, 32) + "]}\n" + line +
                   R"("input_toks": 48, "input_tok_ids": [)" + ids(0, 32) + "," + ids(0, 16) + "]}\n");
    QVERIFY2(trace.error.empty(), trace.error.c_str());
    const auto &first = trace.requests[0].blocks, &second = trace.requests[1].blocks;
    QCOMPARE(first.size(), std::size_t{2});
    QCOMPARE(second.size(), std::size_t{3});
    QVERIFY(first[0] == second[0] && first[1] == second[1]);
    QVERIFY(second[2] != second[0]);  // the same tokens behind others
  }

  void callsOfASessionFollowTheirTools() {
    const ReadTrace trace = read_trace(samples().at("llmservingsim"));
    QVERIFY2(trace.error.empty(), trace.error.c_str());
    QCOMPARE(trace.requests.size(), std::size_t{3});
    QCOMPARE(trace.requests[0].input_tokens, 14u);
    QCOMPARE(trace.requests[1].arrival_seconds, 0.127348767);
    QCOMPARE(trace.requests[0].context, trace.requests[1].context);
  }

  void aMapNamesFieldsUnitsAndBlocks() {
    const std::string text = "when,prompt,answer,who,ids\n1500,40,2,a,\"1 2 3\"\n2500,16,1,b,\"9\"\n";
    const ReadTrace refused = read_trace(text);
    QVERIFY2(
        refused.error.find("no field is known to hold time and input (its fields: when, prompt, answer, who, ids)") !=
            std::string::npos,
        refused.error.c_str());
    const ReadTrace trace =
        read_trace(text, {.map = "time=when:ms,input=prompt,output=answer,context=who,blocks=ids,block_tokens=16"});
    QVERIFY2(trace.error.empty(), trace.error.c_str());
    QCOMPARE(trace.requests[1].arrival_seconds, 1.0);
    QCOMPARE(trace.requests[0].blocks, (std::vector<std::uint64_t>{1, 2, 3}));
    QCOMPARE(trace.facts.block_tokens, 16u);
    QVERIFY(trace.facts.names_contexts && trace.facts.names_blocks && !trace.facts.estimates_tokens);
    const ReadTrace sizes = read_trace("ts,obj,size\n1,7,4096\n", {.map = "time=ts,context=obj,bytes=size"});
    QVERIFY2(sizes.error.empty(), sizes.error.c_str());
    QCOMPARE(sizes.requests[0].input_tokens, 1024u);
    QVERIFY(sizes.facts.estimates_tokens);
  }

  void aMapThatDoesNotFitIsRefused_data() {
    QTest::addColumn<QString>("map");
    QTest::addColumn<QString>("message");
    QTest::newRow("unknown key") << "tme=a"
                                 << "--map: there is no key 'tme'; did you mean 'time'?";
    QTest::newRow("no field") << "time"
                              << "--map: 'time' is not KEY=FIELD; write it like time=FIELD";
    QTest::newRow("twice") << "time=a,time=b"
                           << "--map: 'time' is given twice";
    QTest::newRow("absent fields, all at once")
        << "time=a,input=b,output=c"
        << "t:1: there is no field 'b' (input), 'c' (output); its fields are a, d";
    QTest::newRow("blocks of nothing") << "time=a,input=d,block_tokens=0"
                                       << "--map: block_tokens is a number from 1";
  }
  void aMapThatDoesNotFitIsRefused() {
    QFETCH(QString, map);
    QFETCH(QString, message);
    const ReadTrace trace = read_trace("a,d\n1,2\n", {.map = map.toStdString()});
    QVERIFY2(trace.error.starts_with(message.toStdString()), trace.error.c_str());
  }

  void aTraceWithoutTimesSetsNoArrivals() {
    const auto trace =
        open_trace(std::make_unique<std::istringstream>("num_prefill_tokens,num_decode_tokens\n7,1\n"), "t");
    QVERIFY(trace.has_value() && !(*trace)->facts().has_times);
    Workload workload;
    const Status taken = take_arrivals_of_trace(**trace, workload);
    QVERIFY(!taken && taken.error().message.find("no arrival times; ") != std::string::npos);
  }
};

KV_TEST_GUILESS_MAIN(PublishedFormatsTest)

}  // namespace published_formats_test

#include "published_formats_test.moc"
