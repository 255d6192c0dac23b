// links: kv_base
// Files in the form of published traces (tests/parity/make_format_samples.py): each is recognized by its content, and
// holds what the script that wrote it counted.
#include <QtTest>

#include <cmath>
#include <filesystem>
#include <set>

#include "core/base/json.h"
#include "core/base/shown_text.h"
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

  // Digits within "a1b2" are no ids: a word counts as a whole.
  void blockIdsAreWholeWords_data() {
    QTest::addColumn<QString>("first");
    QTest::addColumn<QString>("second");
    QTest::addColumn<QString>("third");
    const auto json = [](const char* ids) {
      return QString(R"({"timestamp": 0, "input_length": 30, "block_hashes": %1})").arg(ids);
    };
    const auto table = [](const char* ids) { return QString("0,30,%1").arg(ids); };
    QTest::newRow("texts in JSON") << json(R"(["a1b2", "c3"])") << json(R"(["a1b2", "d3"])")
                                   << json(R"(["ffff", "eeee"])");
    QTest::newRow("negative numbers in JSON") << json("[-1, -2]") << json("[-1, -3]") << json("[1, 2]");
    QTest::newRow("one text in JSON") << json(R"("a1b2 c3")") << json(R"("a1b2 d3")") << json(R"("ffff eeee")");
    QTest::newRow("a list of Python") << table("\"['a1b2', 'c3']\"") << table("\"['a1b2', 'd3']\"")
                                      << table("\"('ffff', 'eeee')\"");
    QTest::newRow("bytes of Python") << table("\"[b'1', b'2']\"") << table("\"[b'1', b'3']\"") << table("\"[1, 2]\"");
    QTest::newRow("numbers of numpy") << table("\"[np.int64(1), np.int64(2)]\"")
                                      << table("\"[np.int64(1), np.int64(3)]\"") << table("4;5");
    QTest::newRow("between semicolons") << table("a1b2;c3") << table("a1b2;d3") << table("ffff;eeee");
    QTest::newRow("between blanks") << table("a1b2 c3") << table("a1b2 d3") << table("ffff eeee");
    QTest::newRow("numbers of 128 bits") << table("340282366920938463463374607431768211455 7")
                                         << table("340282366920938463463374607431768211455 8")
                                         << table("340282366920938463463374607431768211454 0007");
  }
  void blockIdsAreWholeWords() {
    QFETCH(QString, first);
    QFETCH(QString, second);
    QFETCH(QString, third);
    const QString header = first.startsWith('{') ? "" : "timestamp,input_length,block_hashes\n";
    const ReadTrace trace = read_trace((header + first + '\n' + second + '\n' + third + '\n').toStdString());
    QVERIFY2(trace.error.empty(), trace.error.c_str());
    QCOMPARE(trace.requests.size(), std::size_t{3});
    std::set<std::uint64_t> distinct;
    for (const TraceRequest& request : trace.requests) {
      QCOMPARE(request.blocks.size(), std::size_t{2});
      distinct.insert(request.blocks.begin(), request.blocks.end());
    }
    QCOMPARE(distinct.size(), std::size_t{5});
    QCOMPARE(trace.requests[0].blocks[0], trace.requests[1].blocks[0]);
  }

  void wholeNumbersAreTheirOwnBlockIds() {
    const ReadTrace trace =
        read_trace("timestamp,input_length,block_hashes\n0,30,\"[0, 18446744073709551615]\"\n1,30,\"(7,)\"\n2,30,\n");
    QVERIFY2(trace.error.empty(), trace.error.c_str());
    QCOMPARE(trace.requests[0].blocks, (std::vector<std::uint64_t>{0, 18446744073709551615U}));
    QCOMPARE(trace.requests[1].blocks, std::vector<std::uint64_t>{7});
    QVERIFY(trace.requests[2].blocks.empty());
    // JSON reads a number of more than 64 bits as one with decimals, equal to its neighbors.
    const ReadTrace rounded = read_trace(
        R"({"timestamp": 0, "input_length": 30, "block_hashes": [340282366920938463463374607431768211455]})");
    QVERIFY2(rounded.error.find("is a block id with decimals, or out of range; ") != std::string::npos,
             rounded.error.c_str());
  }

  void columnsAreNamedByNumber() {
    // Twitter's caches: time, key, bytes of the key, bytes of the value, client, operation, lifetime.
    const std::string twitter =
        "0,q:1:8WTfjZU,17,213,4,get,0\n0,yDqF:3q:1A,17,4096,4,get,0\n2,q:1:8WTfjZU,17,213,9,get,0\n";
    const ReadTrace cache = read_trace(twitter, {.map = "time=#1,context=#2,bytes=#4"});
    QVERIFY2(cache.error.empty(), cache.error.c_str());
    QCOMPARE(cache.counts.rows_read, std::uint64_t{3});  // the first line is a row
    QCOMPARE(cache.requests[0].row, std::uint64_t{1});
    QCOMPARE(cache.requests[0].input_tokens, std::uint64_t{53});
    QCOMPARE(cache.requests[0].context, cache.requests[2].context);
    QVERIFY(cache.requests[0].context != cache.requests[1].context);
    QCOMPARE(cache.requests[2].arrival_seconds, 2.0);
    // Microsoft Research's disks, in 100 ns since 1601: time, host, disk, kind, offset, bytes, duration.
    const ReadTrace disk = read_trace(
        "128166372003061629,hm,0,Read,383496192,32768,413\n128166372013061629,hm,0,Read,310983680,65536,1245\n",
        {.map = "time=#1:filetime,context=#5,bytes=#6"});
    QVERIFY2(disk.error.empty(), disk.error.c_str());
    QCOMPARE(disk.requests.size(), std::size_t{2});
    QCOMPARE(disk.requests[1].arrival_seconds, 1.0);
    QCOMPARE(disk.requests[0].input_tokens, std::uint64_t{8192});
    for (const char* text :
         {"5 7 4096\n6 7 512\n", "  5   7 4096\n6 \t 7\t512  \n", "5\t7\t4096\n6\t7\t512\n", "5;7;4096\n6;7;512\n"}) {
      const ReadTrace trace = read_trace(text, {.map = "time=#1,context=#2,bytes=#3"});
      QVERIFY2(trace.error.empty(), trace.error.c_str());
      QCOMPARE(trace.requests.size(), std::size_t{2});
      QCOMPARE(trace.requests[0].input_tokens, std::uint64_t{1024});
      QCOMPARE(trace.requests[1].arrival_seconds, 1.0);
    }
    // A header is none of the rows, whatever its columns are called by.
    for (const char* map : {"time=#1,input=#3", "time=when,input=#3", "time=when,input=many"}) {
      const ReadTrace named = read_trace("when,who,many\n5,a,40\n6,b,50\n", {.map = map});
      QVERIFY2(named.error.empty(), named.error.c_str());
      QCOMPARE(named.requests.size(), std::size_t{2});
      QCOMPARE(named.requests[0].input_tokens, std::uint64_t{40});
    }
  }

  void columnsWithoutNamesAreSaid_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("map");
    QTest::addColumn<QString>("message");
    const QString numbers = "; give their numbers, as in --map time=#1,context=#2,bytes=#";
    const QString row = "5,alice,17,4096\n6,bob,17,512\n";
    QTest::newRow("no map") << row << ""
                            << "t:1: is in none of the known formats: the first line has 4 columns and no names" +
                                   numbers + "4";
    QTest::newRow("by names") << row << "time=ts,bytes=size"
                              << "t:1: there is no field 'ts' (time), 'size' (bytes): the first line has 4 columns "
                                 "and no names" +
                                     numbers + "4";
    QTest::newRow("by what the first row holds")
        << row << "time=5,bytes=4096"
        << "t:1: there is no field '5' (time), '4096' (bytes): the first line has 4 columns and no names" + numbers +
               "4";
    QTest::newRow("past the last") << row << "time=#1,bytes=#5"
                                   << "t:1: there is no field '#5' (bytes): the first line has 4 columns and no names" +
                                          numbers + "4";
    QTest::newRow("no input") << row << "time=#1"
                              << "t:1: no field is known to hold input: the first line has 4 columns and no names" +
                                     numbers + "4";
    QTest::newRow("a short row") << "5,7,4096\n6,7\n"
                                 << "time=#1,bytes=#3"
                                 << "t:2: has 2 fields where the first line has 3; correct the line";
    QTest::newRow("a cell") << "5,7,4096\n6,7,many\n"
                            << "time=#1,bytes=#3"
                            << "t:2: #3 'many' is not a whole number from 0 on; correct it";
    QTest::newRow("of JSON") << "{\"a\": 1, \"b\": 2}\n"
                             << "time=#1,input=b"
                             << "t:1: there is no field '#1' (time); its fields are a, b";
    const QString unknown = "t:1: is in none of the known formats: ";
    QTest::newRow("a log") << "2023-11-16 10:00:01 GET /index.html 200 1234\n"
                           << ""
                           << unknown +
                                  "it looks like a log, its values separated by blanks: the first line has 6 "
                                  "columns and no names" +
                                  numbers + "4";
    QTest::newRow("plain numbers") << "5\n7\n5\n"
                                   << ""
                                   << unknown +
                                          "it looks like plain numbers, one a line; make a table with "
                                          "columns of times, keys and sizes, and give their numbers, as in "
                                          "--map time=#1,context=#2,bytes=#3";
    QTest::newRow("a text") << "in the beginning was the time\n"
                            << ""
                            << unknown + "it looks like a text, of which kvantage-cli workload import --format text";
    const QString chats = R"([{"id": "a", "conversations": [{"from": "human", "value": "Hi"}]}])";
    const QString sharegpt = unknown +
                             "these are conversations of ShareGPT, which have no times; import them as a "
                             "workload, with kvantage-cli workload import FILE --map "
                             "context=conversations.value";
    QTest::newRow("ShareGPT") << chats << "" << sharegpt;
    QTest::newRow("ShareGPT over lines") << QString(chats).replace("{", "\n {") << "" << sharegpt;
  }
  void columnsWithoutNamesAreSaid() {
    QFETCH(QString, text);
    QFETCH(QString, map);
    QFETCH(QString, message);
    const ReadTrace trace = read_trace(text.toStdString(), {.map = map.toStdString()});
    QVERIFY2(trace.error.starts_with(message.toStdString()), trace.error.c_str());
    QVERIFY2(message_line(trace.error, 293).ends_with(trace.error.substr(trace.error.find_last_of(';'))),
             trace.error.c_str());
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
