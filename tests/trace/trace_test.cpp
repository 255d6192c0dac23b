// links: kv_base
// Readers of recorded traffic: what becomes of each row, in which order, and what is refused with which words.
#include <QtTest>

#include <sstream>

#include "core/base/files.h"
#include "core/base/random.h"
#include "core/trace/civil_time.h"
#include "core/trace/csv_rows.h"
#include "tests/support/test_program.h"
#include "tests/trace/samples.h"

namespace trace_test {

using namespace kvantage;
using namespace kvantage::test;

class TraceTest : public QObject {
  Q_OBJECT

  static ReadTrace read(const std::string& text, const TraceOptions& options = {}) { return read_trace(text, options); }
  static std::vector<std::uint64_t> rows(const ReadTrace& trace) {
    std::vector<std::uint64_t> rows;
    for (const TraceRequest& request : trace.requests) rows.push_back(request.row);
    return rows;
  }

 private slots:
  void everyFormatIsRecognizedByContent_data() {
    QTest::addColumn<QByteArray>("format");
    QTest::addColumn<QByteArray>("text");
    for (const auto& [format, text] : samples())
      QTest::newRow(format.c_str()) << QByteArray::fromStdString(format) << QByteArray::fromStdString(text);
  }
  void everyFormatIsRecognizedByContent() {
    QFETCH(QByteArray, format);
    QFETCH(QByteArray, text);
    const ReadTrace automatic = read(text.toStdString());
    QVERIFY2(automatic.error.empty(), automatic.error.c_str());
    QCOMPARE(std::string(automatic.facts.format), format.toStdString());
    const ReadTrace named = read(text.toStdString(), {.format = format.toStdString()});
    QVERIFY2(named.error.empty(), named.error.c_str());
    QCOMPARE(rows(named), rows(automatic));
    QVERIFY(named.counts.balanced());
    QCOMPARE(named.counts.waiting, 0u);
    QCOMPARE(named.counts.emitted, named.requests.size());
    QVERIFY(std::ranges::is_sorted(named.requests, {}, &TraceRequest::arrival_seconds));
  }

  void mooncakeNamesBlocksAndLengths() {
    const ReadTrace trace = read(samples().at("mooncake"));
    QCOMPARE(trace.requests.size(), std::size_t{3});
    QCOMPARE(trace.requests[0].input_tokens, 1300u);
    QCOMPARE(trace.requests[0].output_tokens, 52u);
    QCOMPARE(trace.requests[0].blocks, (std::vector<std::uint64_t>{46, 47, 2353}));
    QCOMPARE(trace.requests[1].arrival_seconds, 2.518);
    QVERIFY(trace.requests[0].context != trace.requests[1].context);
    QCOMPARE(trace.requests[0].context, trace.requests[2].context);  // the same prompt
  }

  void mooncakeRowsWhoseBlocksDoNotFitTheLengthAreDroppedAndCounted() {
    const ReadTrace trace =
        read(mooncake_line(1, 512, "1") + mooncake_line(2, 513, "1") + mooncake_line(3, 512, "1,2") +
             mooncake_line(4, 1024, "1,2") + mooncake_line(5, 700, ""));
    QVERIFY2(trace.error.empty(), trace.error.c_str());
    QCOMPARE(trace.requests.size(), std::size_t{3});  // also the one that has no blocks
    QCOMPARE(trace.counts.dropped.at("hash_ids of another length than input_length"), 2u);
    QVERIFY(trace.counts.balanced());
  }

  void azureTimesAreCivilTimes() {
    const ReadTrace trace = read(samples().at("azure"));
    QCOMPARE(trace.requests.size(), std::size_t{3});
    QCOMPARE(trace.requests[1].arrival_seconds, 0.052);
    QCOMPARE(trace.requests[2].arrival_seconds, 86400 + 0.02004);  // over midnight
    QCOMPARE(trace.requests[2].input_tokens, 110u);
    QVERIFY(!trace.facts.names_contexts);
    QVERIFY(trace.requests[0].context != trace.requests[1].context);
  }

  void burstgptColumnsAreFoundByNameAndFailuresDropped() {
    const ReadTrace trace = read(
        "Session_ID,Response tokens,Model,request tokens,TIMESTAMP\r\n"
        "a,18,ChatGPT,472,5\r\na,0,ChatGPT,1087,45\r\nb,230,GPT-4,417,118.25\r\na,1,\"GPT, 4\",9,119\r\n");
    QVERIFY2(trace.error.empty(), trace.error.c_str());
    QCOMPARE(rows(trace), (std::vector<std::uint64_t>{1, 3, 4}));
    QCOMPARE(trace.counts.dropped.at("failed, no response tokens"), 1u);
    QCOMPARE(trace.requests[1].arrival_seconds, 113.25);
    QCOMPARE(trace.requests[0].context, trace.requests[2].context);
    QVERIFY(trace.requests[0].context != trace.requests[1].context);
    QVERIFY(trace.facts.names_contexts);
    QVERIFY(!read(samples().at("burstgpt")).facts.names_contexts);  // without the column
  }

  void textsThatBeginAlikeShareBlocksAsFarAsTheyDo() {
    const std::string shared(3 * 2048, 'a');
    const std::string text = agent_line(5, shared + "b") + agent_line(6, shared + "c" + shared) + agent_line(7, "") +
                             agent_line(8, "z" + shared);
    const ReadTrace trace = read(text, {.with_text = true});
    QVERIFY2(trace.error.empty(), trace.error.c_str());
    QCOMPARE(rows(trace), (std::vector<std::uint64_t>{1, 2, 4}));
    QCOMPARE(trace.counts.dropped.at("no input tokens"), 1u);
    const auto &first = trace.requests[0], &second = trace.requests[1], &third = trace.requests[2];
    QCOMPARE(first.blocks.size(), std::size_t{4});
    QVERIFY(std::ranges::equal(std::span(first.blocks).first(3), std::span(second.blocks).first(3)));
    QVERIFY(first.blocks[3] != second.blocks[3]);
    // A piece of the same letters behind another beginning is another block.
    for (const std::uint64_t block : third.blocks)
      QVERIFY(std::ranges::find(first.blocks, block) == first.blocks.end());
    QCOMPARE(first.context, third.context);
    QCOMPARE(first.input_tokens, 1536u);
    QCOMPARE(first.input_text, shared + "b");
    QCOMPARE(first.output_text, std::string("ok"));
    QVERIFY(read(text).requests[0].input_text.empty());
    QCOMPARE(second.arrival_seconds, 1e-6);
  }

  void oracleGeneralRecordsAreReadAsWritten() {
    const ReadTrace trace =
        read(oracle_record(10, 77, 4096, 3) + oracle_record(10, 1ull << 63, 0, -1) + oracle_record(12, 77, 4097, -1));
    QVERIFY2(trace.error.empty(), trace.error.c_str());
    QCOMPARE(rows(trace), (std::vector<std::uint64_t>{1, 3}));
    QCOMPARE(trace.requests[0].context, 77u);
    QCOMPARE(trace.requests[0].input_tokens, 1024u);
    QCOMPARE(trace.requests[1].arrival_seconds, 2.0);
    QCOMPARE(trace.counts.dropped.at("no input tokens"), 1u);
  }

  void requestsComeInOrderOfArrivalAndThoseOfOneTimeInOrderOfTheFile() {
    Random random(4);
    std::string text;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> wanted;
    for (std::uint64_t row = 1; row <= 2000; ++row) {
      const std::uint64_t time = row / 10 + random.below(30);
      text += mooncake_line(time, 100, "1");
      wanted.emplace_back(time, row);
    }
    std::ranges::sort(wanted);
    const ReadTrace trace = read(text);
    QCOMPARE(trace.requests.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) QCOMPARE(trace.requests[i].row, wanted[i].second);
    const ReadTrace narrow = read(text, {.window_rows = 16});
    QVERIFY(narrow.counts.balanced());
    QVERIFY(narrow.counts.dropped.at("earlier than the reading window reaches back") > 0);
    QVERIFY(std::ranges::is_sorted(narrow.requests, {}, &TraceRequest::arrival_seconds));
  }

  void scalingStretchesTimesAndNothingElse() {
    const ReadTrace plain = read(samples().at("mooncake")), half = read(samples().at("mooncake"), {.time_scale = 0.5});
    QCOMPARE(half.requests.size(), plain.requests.size());
    for (std::size_t i = 0; i < plain.requests.size(); ++i) {
      QCOMPARE(half.requests[i].arrival_seconds, plain.requests[i].arrival_seconds / 2);
      QCOMPARE(half.requests[i].blocks, plain.requests[i].blocks);
    }
  }

  void aLimitEndsTheTraceAndTheAccountCloses() {
    std::string text;
    for (int i = 0; i < 100; ++i) text += mooncake_line(static_cast<std::uint64_t>(i), i % 10 == 0 ? 0 : 5, "1");
    const ReadTrace trace = read(text, {.limit = 7, .window_rows = 20});
    QCOMPARE(trace.requests.size(), std::size_t{7});
    QVERIFY(trace.counts.balanced());
    QCOMPARE(trace.counts.waiting, 0u);
    QVERIFY(trace.counts.dropped.at("beyond the limit") <= 20);
    QVERIFY(trace.counts.rows_read < 40);  // the rest of the file is not read
  }

  void blankLinesAndLineEndsOfOtherSystemsAreNoRows() {
    const std::string line = mooncake_line(3, 5, "1");
    const ReadTrace trace =
        read("\xEF\xBB\xBF\r\n\r\n" + line.substr(0, line.size() - 1) + "\r\n \n" + line.substr(0, line.size() - 1));
    QVERIFY2(trace.error.empty(), trace.error.c_str());
    QCOMPARE(trace.counts.rows_read, 2u);
  }

  void anEmptyFileOfANamedFormatHasNoRows() {
    for (const char* format : {"mooncake", "lmcache-agent", "oracle-general"}) {
      const ReadTrace trace = read("", {.format = format});
      QVERIFY2(trace.error.empty(), trace.error.c_str());
      QCOMPARE(trace.counts.rows_read, 0u);
    }
    QVERIFY(!read("", {.format = "azure"}).error.empty());  // not even a header
  }

  // They say 0 bytes, and some of them wait for more when they are read.
  void filesOfTheSystemAreEmpty() {
    const auto trace = open_trace(std::filesystem::path("/proc/self/status"), {});
    QVERIFY(!trace);
    QCOMPARE(trace.error().message,
             std::string("/proc/self/status:1: the file is empty; give a trace, or name its format"));
  }

  void refusalsNameLineReasonAndMend_data() {
    QTest::addColumn<QByteArray>("format");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("message");
    const auto row = [](const char* name, const char* format, const std::string& text, const char* message) {
      QTest::newRow(name) << QByteArray(format) << QByteArray::fromStdString(text) << QByteArray(message);
    };
    const std::string good = mooncake_line(1, 5, "1"), azure = "TIMESTAMP,ContextTokens,GeneratedTokens\n";
    row("empty", "auto", "", "t:1: the file is empty; ");
    row("blank", "auto", "\n \n", "t:1: is in none of the known formats");
    row("unknown", "auto", "\nhello\n", "t:2: is in none of the known formats");
    row("compressed", "auto", std::string("\x28\xB5\x2F\xFD\0", 5),
        "t:1: is compressed with Zstandard; unpack it first with zstd -d");
    row("compressed, another way", "auto", std::string("\x1F\x8B\x08\0", 4), "t:1: is compressed with gzip; ");
    row("pointer of Git LFS", "auto", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
        "t:1: is a Git LFS pointer, not the data; fetch the data with 'git lfs pull'");
    row("Latin-1", "auto", "{\"timestamp\": 1, \"input\": \"caf\xE9\", \"session_id\": \"a\"}\n",
        "t:1: is not UTF-8; convert it, e.g. with iconv");
    row("no web page", "auto", "<header>a,b</header>\n1,2\n", "t:1: is in none of the known formats");
    row("web page without a type", "auto", "<html lang=\"en\">\n", "t:1: is a web page, not the data; ");
    row("web page", "auto", "\n <!DOCTYPE html>\n<html>\n", "t:1: is a web page, not the data; ");
    row("database", "auto", std::string("SQLite format 3\0", 16), "t:1: is a SQLite database; ");
    row("fields that nobody knows", "auto", "when,how_much\n1,2\n", "t:1: is in none of the known formats");
    row("a data set", "auto", "{\"context\": \"c\", \"question\": \"q\"}\n",
        "t:1: is in none of the known formats: no field is known to hold time and input (its fields: context, "
        "question); it looks like a data set, which kvantage-cli workload import reads");
    row("fields that a map needs", "mapped", "when,how_much\n1,2\n",
        "t:1: no field is known to hold time and input (its fields: when, how_much); name it with --map");
    row("cut json", "auto", good + good.substr(0, 30), "t:2: not valid JSON (line 1, column 31: ");
    row("deep json", "mooncake", good + std::string(100'000, '[') + "\n", "t:2: nested too deeply; ");
    row("negative time", "auto", good + mooncake_line(5, 5, "1").insert(14, "-"),
        "t:2: field 'timestamp' is out of range; ");
    row("time beyond the clock", "auto", good + mooncake_line(9'999'999'999'999'999, 5, "1"),
        "t:2: field 'timestamp' is out of range; ");
    row("too many tokens", "auto", mooncake_line(1, 1ull << 32, "1"), "t:1: field 'input_length' is out of range; ");
    row("negative block", "auto", mooncake_line(1, 5, "1,-2"),
        "t:1: field 'hash_ids' holds a value that is not a whole number from 0 on; ");
    row("missing field", "mooncake", "{\"timestamp\": 1}\n", "t:1: field 'input_length' is missing; ");
    row("no object", "mooncake", "[]\n", "t:1: field 'timestamp' is missing; ");
    row("missing column", "azure", "TIMESTAMP,ContextTokens\n",
        "t:1: there is no column 'GeneratedTokens' in the header ('TIMESTAMP', 'ContextTokens'); ");
    row("wrong header", "burstgpt", azure, "t:1: there is no column 'Request tokens'");
    row("no date", "auto", azure + "2023-02-29 10:00:00,1,2\n",
        "t:2: TIMESTAMP '2023-02-29 10:00:00' is not a time between 1970 and 2199; ");
    row("short row", "auto", azure + "2023-02-28 10:00:00,1\n", "t:2: has 2 fields where the header has 3; ");
    row("no number", "auto", azure + "2023-02-28 10:00:00,1,2\n\n2023-02-28 10:00:00,1e3,2\n",
        "t:4: ContextTokens '1e3' is not a whole number of tokens; ");
    row("negative tokens", "auto", azure + "2023-02-28 10:00:00,-1,2\n",
        "t:2: ContextTokens '-1' is not a whole number of tokens; ");
    row("open quotes", "auto", azure + "\"2023-02-28 10:00:00,1,2\n", "t:2: quotes do not close; ");
    row("cut record", "auto", oracle_record(1, 2, 3, -1) + std::string(7, '\1'),
        "t:2: the record at byte 24 has 7 of its 24 bytes; ");
    row("no oracle", "oracle-general", oracle_record(1, 2, 3, -1) + oracle_record(1, 2, 3, -9),
        "t:2: the record at byte 24 names a next request before the first; ");
    row("texts missing", "lmcache-agent", "{\"timestamp\": 1, \"session_id\": \"a\"}",
        "t:1: field 'input' is missing; ");
    row("broken letters", "lmcache-agent", "{\"timestamp\": 1, \"input\": \"\xff\", \"session_id\": \"a\"}",
        "t:1: not valid JSON (byte 28 is not UTF-8); convert it");
    row("long line", "mooncake", std::string((std::size_t{16} << 20) + 100'000, ' '),
        "t:1: the line is longer than 16 MiB; ");
  }
  void refusalsNameLineReasonAndMend() {
    QFETCH(QByteArray, format);
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, message);
    const ReadTrace trace = read(text.toStdString(), {.format = format.toStdString()});
    QVERIFY2(trace.error.starts_with(message.toStdString()), trace.error.c_str());
    QVERIFY2(trace.error.find("; ") != std::string::npos, trace.error.c_str());
    QVERIFY(trace.error.size() < 700);
  }

  void optionsOutOfRangeAreRefused() {
    for (const TraceOptions& options :
         {TraceOptions{.format = "csv"}, TraceOptions{.time_scale = 0}, TraceOptions{.time_scale = -1},
          TraceOptions{.time_scale = std::nan("")}, TraceOptions{.bytes_per_token = 0},
          TraceOptions{.bytes_per_token = INFINITY}, TraceOptions{.window_rows = 0}})
      QVERIFY(!read(samples().at("azure"), options).error.empty());
    QVERIFY(!open_trace(std::filesystem::path("/nowhere/at/all")));
    QVERIFY(!open_trace(std::filesystem::path("/")));
    QVERIFY(!open_trace(std::filesystem::path("/dev/zero")));
  }

  // Qt's calendar is the oracle.
  void civilTimesAgreeWithACalendar() {
    Random random(11);
    for (int i = 0; i < 20'000; ++i) {
      const auto seconds = static_cast<qint64>(random.below(7'258'118'400));  // up to 2199
      const QDateTime time = QDateTime::fromSecsSinceEpoch(seconds, Qt::UTC);
      const std::string text = time.toString("yyyy-MM-dd HH:mm:ss").toStdString();
      QCOMPARE(parse_civil_time(text + ".25").value_or(-1), seconds * 1'000'000'000 + 250'000'000);
    }
    QCOMPARE(parse_civil_time("1970-01-01T00:00:00Z").value_or(-1), 0);
    QCOMPARE(parse_civil_time("2024-05-10 02:00:00.009930+02:00"), parse_civil_time("2024-05-10 00:00:00.00993"));
    for (const char* wrong :
         {"", "2023", "2023-13-01 00:00:00", "2023-00-01 00:00:00", "2023-01-32 00:00:00", "2100-02-29 00:00:00",
          "2023-01-01 24:00:00", "2023-01-01 00:60:00", "2023-01-01 00:00:60", "2023-01-01 00:00:00.",
          "2023-01-01 00:00:00.1234567890", "2023-01-01 00:00:00x", "1969-12-31 23:59:59", "2023-01-01 00:00:00+1:00",
          "1970-01-01 00:00:00+01:00", "99999-01-01 00:00:00"})
      QVERIFY2(!parse_civil_time(wrong), wrong);
  }

  void decimalSecondsAreExact() {
    QCOMPARE(parse_decimal_seconds("0.1").value_or(-1), 100'000'000);
    QCOMPARE(parse_decimal_seconds("5.0").value_or(-1), 5'000'000'000);
    QCOMPARE(parse_decimal_seconds("1000000000").value_or(-1), 1'000'000'000'000'000'000);
    QCOMPARE(parse_decimal_seconds("1700000000.000000001").value_or(-1), 1'700'000'000'000'000'001);
    QCOMPARE(parse_decimal_seconds("9000000000").value_or(-1), latest_time);
    for (const char* wrong :
         {"", "-1", "+1", ".5", "5.", "1e3", "9000000000.1", "9000000001", "99999999999999999999", "nan", "0x1", "1 "})
      QVERIFY2(!parse_decimal_seconds(wrong), wrong);
  }

  // A double cannot hold the nanoseconds of a time since 1970.
  void timesSince1970AreExact() {
    QCOMPARE(parse_rounded_time("1700000000123456789", 1).value_or(-1), 1'700'000'000'123'456'789);
    QCOMPARE(parse_rounded_time("1700000000123457", 1'000).value_or(-1), 1'700'000'000'123'457'000);
    QCOMPARE(parse_rounded_time("1700000000.123456789").value_or(-1), 1'700'000'000'123'456'789);
    QCOMPARE(parse_rounded_time("5.8926549999999995").value_or(-1), 5'892'655'000);
    QCOMPARE(parse_rounded_time("1e-05").value_or(-1), 10'000);
    QCOMPARE(parse_rounded_time(".5").value_or(-1), 500'000'000);
    QCOMPARE(parse_rounded_time("5.").value_or(-1), 5'000'000'000);
    for (const char* wrong : {"", "-1", ".", "1.2.3", "1700000000000", "9000000000.5", "99999999999999999999", "1e300"})
      QVERIFY2(!parse_rounded_time(wrong), wrong);
    struct Case {
      std::string field, first, second;
    };
    for (const Case& one : {Case{"when:s", "1700000000", "1700000000.000000001"},
                            Case{"when:ms", "1700000000000", "1700000000000.000001"},
                            Case{"when:us", "1700000000000000", "1700000000000000.001"},
                            Case{"when:ns", "1700000000000000000", "1700000000000000001"}}) {
      for (const std::string& text :
           {"when,in\n" + one.first + ",5\n" + one.second + ",5\n",
            "{\"when\": " + one.first + ", \"in\": 5}\n{\"when\": \"" + one.second + "\", \"in\": 5}\n"}) {
        const ReadTrace trace = read(text, {.map = "time=" + one.field + ",input=in"});
        QVERIFY2(trace.error.empty(), trace.error.c_str());
        QCOMPARE(trace.requests.at(0).arrival_seconds, 0.0);
        QCOMPARE(trace.requests.at(1).arrival_seconds, 1e-9);
      }
    }
    const ReadTrace disk =
        read(vscsi_record(1'700'000'000'000'000, 4096, 7) + vscsi_record(1'700'000'000'000'001, 9, 8));
    QVERIFY2(disk.error.empty(), disk.error.c_str());
    QCOMPARE(disk.requests.at(1).arrival_seconds, 1e-6);
    const auto call = [](const char* time) {
      return std::string(R"({"input_toks": 20, "output_toks": 5, "arrival_time_ns": )") + time + "}\n";
    };
    const ReadTrace calls = read(call("1700000000000000000") + call("1700000000000000003"));
    QVERIFY2(calls.error.empty(), calls.error.c_str());
    QCOMPARE(calls.requests.at(1).arrival_seconds, 3e-9);
    const std::string table = "when,in\n1700000000000,5\n";
    QVERIFY(read(table, {.map = "time=when,input=in"}).error.find("give its unit, as in --map time=when:ms") !=
            std::string::npos);
    QCOMPARE(read(table, {.map = "time=when:parsec,input=in"}).error,
             std::string("--map: 'parsec' is no unit of time; choose one of ns, us, ms, s, filetime"));
  }

  void csvFieldsFollowTheirRules() {
    using Fields = std::vector<std::string>;
    QCOMPARE(split_csv("a, b ,c").value(), (Fields{"a", "b", "c"}));
    QCOMPARE(split_csv("\"a,b\",\"say \"\"so\"\"\",").value(), (Fields{"a,b", "say \"so\"", ""}));
    QCOMPARE(split_csv("").value(), Fields{""});
    QCOMPARE(split_csv("  a \"b c\"\t d,e ", ' ').value(), (Fields{"a", "b c", "d,e"}));
    QCOMPARE(split_csv(" \t", ' ').value(), Fields{""});
    QVERIFY(!split_csv("\"a b\"c d", ' '));
    QVERIFY(!split_csv("\"a"));
    QVERIFY(!split_csv("\"a\"b,c"));
  }
};

KV_TEST_GUILESS_MAIN(TraceTest)

}  // namespace trace_test

#include "trace_test.moc"
