// links: kv_base
// Workload files: what is written is read back, and what is not a workload is refused by file, line and field.
#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>
#include <fstream>
#include <map>

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/random.h"
#include "core/workload/make_workload.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_program.h"

namespace workload_files_test {

using namespace kvantage;
using namespace kvantage::test;
using std::filesystem::path;

namespace {

using Files = std::map<std::string, std::string>;
constexpr const char* file_names[] = {"workload.json", "contexts.jsonl", "questions.jsonl"};

Files read_files(const path& folder) {
  Files files;
  for (const char* name : file_names) files[name] = read_text_file(folder / name).value();
  return files;
}

void write_files(const path& folder, const Files& files) {
  for (const auto& [name, text] : files) std::ofstream(folder / name, std::ios::binary) << text;
}

void compare(const Workload& a, const Workload& b) {
  QCOMPARE(a.name, b.name);
  QCOMPARE(a.license, b.license);
  QCOMPARE(a.seed, b.seed);
  QCOMPARE(a.made_by, b.made_by);
  QCOMPARE(a.description, b.description);
  QCOMPARE(a.arrivals.requests, b.arrivals.requests);
  QCOMPARE(a.arrivals.tail_share, b.arrivals.tail_share);
  QVERIFY(a.arrivals.bursts == b.arrivals.bursts);
  QVERIFY(a.arrivals.drift == b.arrivals.drift);
  QCOMPARE(a.arrivals.zipf_exponent, b.arrivals.zipf_exponent);
  QCOMPARE(a.arrivals.requests_per_second, b.arrivals.requests_per_second);
  QCOMPARE(a.contexts.size(), b.contexts.size());
  for (std::size_t i = 0; i < a.contexts.size(); ++i) {
    QCOMPARE(a.contexts[i].id, b.contexts[i].id);
    QCOMPARE(a.contexts[i].family, b.contexts[i].family);
    QCOMPARE(a.contexts[i].text, b.contexts[i].text);
  }
  QCOMPARE(a.questions.size(), b.questions.size());
  for (std::size_t i = 0; i < a.questions.size(); ++i) {
    QCOMPARE(a.questions[i].context, b.questions[i].context);
    QCOMPARE(a.questions[i].question, b.questions[i].question);
    QCOMPARE(a.questions[i].gold, b.questions[i].gold);
    QCOMPARE(a.questions[i].split, b.questions[i].split);
    QCOMPARE(a.questions[i].other_golds, b.questions[i].other_golds);
    QCOMPARE(a.questions[i].phase, b.questions[i].phase);
    QCOMPARE(a.questions[i].max_answer_tokens, b.questions[i].max_answer_tokens);
  }
  QVERIFY(a.digest() == b.digest());
}

Workload awkward_workload() {
  Workload workload;
  workload.name = "a 'name' (with) signs & \xf0\x9f\x8c\x8d, \xc3\xa9.txt";
  workload.license = "";
  workload.seed = 0xffffffffffffffffULL;
  workload.made_by = std::string("zero \0 inside", 13);
  workload.description = "a \"name\"\twith\nlines \\ and \xf0\x9f\x8c\x8d, \\ \"in a line\" \xe2\x80\xa8";
  workload.arrivals = {.requests_per_second = 0.1, .zipf_exponent = 1.0 / 3, .requests = 7, .tail_share = 1.0 / 7};
  workload.arrivals.bursts = Bursts{.factor = 1.0 / 0.3, .mean_requests = 1, .mean_quiet_requests = 1e6, .contexts = 9};
  workload.arrivals.drift = Drift{.begin = 0.1, .end = 1.0 / 3, .one_by_one = true};
  workload.contexts = {{"line\nfeed", "f", "\r\n\n \xe2\x80\xa8 text \x01"},
                       {" ", "", std::string(200000, 'x')},
                       {"{}", "f", "[\"\\u0041\"]"}};
  workload.questions = {{2, "\nWhat?", "", QuestionSplit::profile},
                        {0, "What?", "\xc3\xa9", QuestionSplit::held_out},
                        {2, "What?", "the same question about another", QuestionSplit::held_out},
                        {1, "One of two?", "one", QuestionSplit::profile, {"two", "\"\n\xc3\xa9"}},
                        {1, "After?", "later", QuestionSplit::held_out, {}, 1},
                        {1, "Both?", "later", QuestionSplit::held_out, {"last"}, 1, 600}};
  return workload;
}

// Rows of whatIsNoWorkloadIsRefused: a workload.json with this in it, or a whole file, and parts of the message.
void add_head(const char* name, const char* rest, const QStringList& parts) {
  QTest::newRow(name) << "workload.json"
                      << QByteArray(R"({"format":"kvantage-workload","version":1,"name":"n")") + rest + "}" << parts;
}
void add_file(const char* name, const char* file, const char* text, const QStringList& parts) {
  QTest::newRow(name) << file << QByteArray(text) << parts;
}

void add_heads() {
  add_head("unknown field", R"(,"arival":{})", {"'arival'", "did you mean 'arrivals'?"});
  add_head("unknown arrival field", R"(,"arrivals":{"zipf":1})", {"arrivals", "'zipf'"});
  add_head("arrivals as a list", R"(,"arrivals":[])", {"arrivals", "object"});
  add_head("arrivals as a number", R"(,"arrivals":3)", {"arrivals", "object"});
  add_head("negative rate", R"(,"arrivals":{"requests_per_second":-1})", {"'requests_per_second'", "range"});
  add_head("rate as text", R"(,"arrivals":{"requests_per_second":"1"})", {"'requests_per_second'", "type"});
  add_head("zipf too large", R"(,"arrivals":{"zipf_exponent":11})", {"'zipf_exponent'", "range"});
  add_head("no requests", R"(,"arrivals":{"requests":0})", {"'requests'", "range"});
  add_head("negative requests", R"(,"arrivals":{"requests":-5})", {"'requests'", "range"});
  add_head("half requests", R"(,"arrivals":{"requests":2.5})", {"'requests'", "whole"});
  add_head("absurd requests", R"(,"arrivals":{"requests":18446744073709551615})", {"'requests'", "range"});
  add_head("negative seed", R"(,"seed":-1)", {"'seed'", "range"});
  add_head("fraction as seed", R"(,"seed":1.5)", {"'seed'", "whole"});
  add_head("seed beyond 64 bits", R"(,"seed":1e30)", {"'seed'", "whole"});
  add_head("truth as seed", R"(,"seed":true)", {"'seed'", "type"});
  add_head("licence as a number", R"(,"licence":1)", {"'licence'", "type"});
  add_file("empty head", "workload.json", "", {"not valid JSON"});
  add_file("head is a list", "workload.json", "[]", {"object"});
  add_file("another format", "workload.json", R"({"format":"other","version":1,"name":"n"})", {"'other'"});
  add_file("a later version", "workload.json", R"({"format":"kvantage-workload","version":2,"name":"n"})",
           {"version 2"});
  add_file("no name", "workload.json", R"({"format":"kvantage-workload","version":1})", {"'name'", "missing"});
  for (const auto& [what, name, reason] : {std::tuple{"a path", "/abs/evil", "no name may hold"},
                                           {"a path upwards", "../up", "begins with a dot"},
                                           {"a hidden name", ".hidden", "begins with a dot"},
                                           {"a name of two lines", "a\\nb", "no name may hold"},
                                           {"a path of another system", "a\\\\b", "no name may hold"},
                                           {"no name", "", "the name is empty"}})
    add_file(what, "workload.json",
             R"({"format":"kvantage-workload","version":1,"name":")" + QByteArray(name) + R"("})", {reason});
  add_file("a long name", "workload.json",
           (R"({"format":"kvantage-workload","version":1,"name":")" + QByteArray(101, 'n') + R"("})").constData(),
           {"longer than 100 bytes"});
  add_file("no format", "workload.json", R"({"version":1,"name":"n"})", {"'format'", "missing"});
  add_file("nested without end", "workload.json", std::string(100000, '[').c_str(), {"nested"});

  add_file("description as a number", "workload.json",
           R"({"format":"kvantage-workload","version":1,"name":"n","description":1})", {"'description'", "type"});
  add_file("burst in arrivals", "workload.json",
           R"({"format":"kvantage-workload","version":1,"name":"n","arrivals":{"bursts":{"factor":0}}})",
           {"'bursts.factor'"});
  add_file("drift backwards", "workload.json",
           R"({"format":"kvantage-workload","version":1,"name":"n","arrivals":{"drift":{"begin":1,"end":0}}})",
           {"'drift.end'"});
}

void add_context_files() {
  add_file("no context", "contexts.jsonl", "\n", {"holds no context"});
  add_file("context without id", "contexts.jsonl", R"({"text":"t"})", {":1", "'id'", "missing"});
  add_file("context without text", "contexts.jsonl", R"({"id":"a"})", {":1", "'text'", "missing"});
  add_file("empty id", "contexts.jsonl", R"({"id":"","text":"t"})", {":1", "'id'", "empty"});
  add_file("empty text", "contexts.jsonl", R"({"id":"a","text":""})", {":1", "'text'", "empty"});
  add_file("id as a number", "contexts.jsonl", R"({"id":3,"text":"t"})", {":1", "'id'", "type"});
  add_file("family as a list", "contexts.jsonl", R"({"id":"a","family":[],"text":"t"})", {":1", "'family'", "type"});
  add_file("unknown context field", "contexts.jsonl", R"({"id":"a","text":"t","tokens":5})", {":1", "'tokens'"});
  add_file("line is a list", "contexts.jsonl", "[1]", {":1", "object"});
  add_file("half a line", "contexts.jsonl", "{\"id\":\"c0\",\"text\":\"t\"}\n\n{\"id\":", {":3", "not valid JSON"});
  add_file("id twice", "contexts.jsonl", "{\"id\":\"c0\",\"text\":\"t\"}\n{\"id\":\"c0\",\"text\":\"u\"}",
           {":2", "'c0'", "twice"});
  add_file("no UTF-8", "contexts.jsonl", "{\"id\":\"c0\",\"text\":\"\xff\"}", {":1", "not valid JSON"});
}

void add_question_files() {
  add_file("question about nothing", "questions.jsonl", R"({"context":"c9","question":"q","gold":"g"})",
           {":1", "'c9'"});
  add_file("other golds without a gold", "questions.jsonl", R"({"context":"c0","question":"q","other_golds":["g"]})",
           {":1", "'other_golds'", "'gold'"});
  add_file("empty other gold", "questions.jsonl", R"({"context":"c0","question":"q","gold":"g","other_golds":[""]})",
           {":1", "'other_golds'", "empty"});
  add_file("other golds as a text", "questions.jsonl",
           R"({"context":"c0","question":"q","gold":"g","other_golds":"h"})", {":1", "'other_golds'", "type"});
  add_file("other golds of numbers", "questions.jsonl",
           R"({"context":"c0","question":"q","gold":"g","other_golds":[1]})", {":1", "'other_golds'", "type"});
  add_file("negative phase", "questions.jsonl", R"({"context":"c0","question":"q","gold":"g","phase":-1})",
           {":1", "'phase'", "-1"});
  add_file("phase out of range", "questions.jsonl", R"({"context":"c0","question":"q","gold":"g","phase":2})",
           {":1", "'phase'", "is 2"});
  add_file("phase is no whole number", "questions.jsonl", R"({"context":"c0","question":"q","gold":"g","phase":0.5})",
           {":1", "'phase'", "whole number"});
  add_file("negative answer", "questions.jsonl", R"({"context":"c0","question":"q","gold":"g","max_answer_tokens":-1})",
           {":1", "'max_answer_tokens'"});
  add_file("endless answer", "questions.jsonl",
           R"({"context":"c0","question":"q","gold":"g","max_answer_tokens":100001})", {":1", "'max_answer_tokens'"});
  add_file("profile question of phase 1", "questions.jsonl",
           R"({"context":"c0","question":"q","gold":"g","phase":1,"split":"profile"})", {":1", "'phase'", "profile"});
  add_file("question without context", "questions.jsonl", R"({"question":"q","gold":"g"})", {":1", "'context'"});
  add_file("empty question", "questions.jsonl", R"({"context":"c0","question":"","gold":"g"})", {":1", "'question'"});
  add_file("gold as a number", "questions.jsonl", R"({"context":"c0","question":"q","gold":4})",
           {":1", "'gold'", "type"});
  add_file("unknown split", "questions.jsonl", R"({"context":"c0","question":"q","gold":"g","split":"test"})",
           {":1", "'split'", "'test'"});
  add_file("unknown question field", "questions.jsonl", R"({"context":"c0","question":"q","gold":"g","answer":"g"})",
           {":1", "'answer'"});
  add_file("question twice", "questions.jsonl",
           "{\"context\":\"c0\",\"question\":\"q\",\"gold\":\"g\"}\n{\"context\":\"c0\",\"question\":\"q\",\"gold\":"
           "\"h\"}",
           {":2", "same question"});
  add_file("name with a line feed", "questions.jsonl", R"({"context":"a\nb","question":"q","gold":"g"})", {"'a\\nb'"});
}

}  // namespace

class WorkloadFilesTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  path at(const std::string& name) const { return path(folder_.path().toStdString()) / name; }

 private slots:
  void whatIsWrittenIsReadBack() {
    MakeWorkloadOptions options;
    options.contexts_per_family = 2;
    options.min_tokens = 200;
    options.max_tokens = 300;
    options.profile_questions = options.held_out_questions = 1;
    const auto made = make_workload(options);
    QVERIFY2(made, made ? "" : made.error().message.c_str());
    for (const Workload& workload : {*made, small_workload(3, 9, 4), awkward_workload()}) {
      QVERIFY(write_workload(workload, at("round trip")));
      const auto read = read_workload(at("round trip"));
      QVERIFY2(read, read ? "" : read.error().message.c_str());
      compare(*read, workload);
      const Files first = read_files(at("round trip"));
      QVERIFY(write_workload(*read, at("again")));
      QVERIFY(read_files(at("again")) == first);
    }
  }

  void theDigestIsOfTextsQuestionsAndSplitAlone() {
    const Workload original = small_workload(3, 9, 4);
    Workload same = original;
    same.name = "another";
    same.seed = 77;
    same.arrivals.requests = 3;
    same.made_by = "hand";
    same.description = "the same texts";
    same.arrivals.bursts = Bursts{};
    same.arrivals.drift = Drift{};
    QVERIFY(same.digest() == original.digest());
    const std::vector<std::function<void(Workload&)>> changes{
        [](Workload& w) { w.contexts[1].text += " "; },
        [](Workload& w) { w.contexts[1].id += "x"; },
        [](Workload& w) { std::swap(w.contexts[0], w.contexts[1]); },
        [](Workload& w) { w.questions[0].gold += "1"; },
        [](Workload& w) { w.questions[0].question += "?"; },
        [](Workload& w) {
          w.questions[0].other_golds = {"a", "bc"};
        },
        [](Workload& w) {
          w.questions[0].other_golds = {"ab", "c"};
        },
        [](Workload& w) {
          w.questions[1].other_golds = {"ab", "c"};
        },
        [](Workload& w) { w.questions[1].max_answer_tokens = 600; },
        [](Workload& w) { w.questions[2].max_answer_tokens = 600; },
        [](Workload& w) { w.questions[1].phase = 1; },
        [](Workload& w) { w.questions[2].phase = 1; },
        [](Workload& w) { w.questions[0].context = 1; },
        [](Workload& w) { w.questions[0].split = QuestionSplit::held_out; },
        [](Workload& w) { w.questions.pop_back(); },
        [](Workload& w) { std::swap(w.contexts[0].family, w.contexts[0].id); }};
    std::set<Digest128> digests{original.digest()};
    for (const auto& change : changes) {
      Workload changed = original;
      change(changed);
      QVERIFY(digests.insert(changed.digest()).second);
    }
  }

  // Profiles that exist are found by this digest: written down before questions could have more than one answer.
  void workloadsWithoutNewFieldsKeepTheirDigest() {
    QCOMPARE(QString::fromStdString(small_workload(3, 9, 4).digest().hex()),
             QStringLiteral("1eb336041af7be325cdc07d5103f2407"));
  }

  void emptyLinesAndMissingOptionalFieldsAreFine() {
    write_files(at("."), {{"workload.json", R"({"format":"kvantage-workload","version":1,"name":"n"})"},
                          {"contexts.jsonl", "\n  \r\n{\"id\":\"a\",\"text\":\"t\"}\n\n"},
                          {"questions.jsonl", ""}});
    const auto read = read_workload(at("."));
    QVERIFY2(read, read ? "" : read.error().message.c_str());
    QCOMPARE(read->contexts.size(), std::size_t{1});
    QCOMPARE(read->contexts[0].family, std::string("text"));
    QCOMPARE(read->arrivals.requests, std::uint64_t{200});
    QVERIFY(read->requests(0, 1).empty());  // nothing to ask
  }

  // Lines of a few bytes are as slow as long ones: a file of some MiB may take no minutes.
  void moreContextsOrQuestionsThanAllowedAreRefused() {
    const auto lines = [](std::size_t count, const std::string& before, const std::string& after) {
      std::string text;
      for (std::size_t i = 0; i < count; ++i) text += before + std::to_string(i) + after;
      return text;
    };
    const char* const head = R"({"format":"kvantage-workload","version":1,"name":"n"})";
    write_files(at("."), {{"workload.json", head},
                          {"contexts.jsonl", lines(500'001, "{\"id\":\"c", "\",\"text\":\"t\"}\n")},
                          {"questions.jsonl", ""}});
    const auto contexts = read_workload(at("."));
    QVERIFY(!contexts);
    QVERIFY2(contexts.error().message.ends_with(
                 "contexts.jsonl:500001: a workload has at most 500000 contexts; split it into several workloads"),
             contexts.error().message.c_str());
    write_files(at("."), {{"workload.json", head},
                          {"contexts.jsonl", "{\"id\":\"a\",\"text\":\"t\"}\n"},
                          {"questions.jsonl", lines(1'000'001, "{\"context\":\"a\",\"question\":\"", "\"}\n")}});
    const auto questions = read_workload(at("."));
    QVERIFY(!questions);
    QVERIFY2(questions.error().message.find(":1000001: a workload has at most 1000000 questions") != std::string::npos,
             questions.error().message.c_str());
  }

  void questionsOfContextsWithLinesInTheirNamesDiffer() {
    write_files(at("."),
                {{"workload.json", R"({"format":"kvantage-workload","version":1,"name":"n"})"},
                 {"contexts.jsonl", "{\"id\":\"a\",\"text\":\"t\"}\n{\"id\":\"a\\nb\",\"text\":\"t\"}\n"},
                 {"questions.jsonl",
                  "{\"context\":\"a\",\"question\":\"b\\nc\"}\n{\"context\":\"a\\nb\",\"question\":\"c\"}\n"}});
    const auto read = read_workload(at("."));
    QVERIFY2(read, read ? "" : read.error().message.c_str());
    QCOMPARE(read->questions.size(), std::size_t{2});
  }

  void textThatIsNoUtf8IsNotWritten() {
    for (int where = 0; where < 5; ++where) {
      Workload workload = small_workload(1, 5, 1);
      std::string* texts[] = {&workload.name, &workload.contexts[0].text, &workload.contexts[0].id,
                              &workload.questions[0].question, &workload.questions[0].gold};
      *texts[where] += "\xc3";
      const Status written = write_workload(workload, at("no utf8"));
      QVERIFY(!written);
      QCOMPARE(written.error().code, ErrorCode::rejected_input);
      QVERIFY(!std::filesystem::exists(at("no utf8/contexts.jsonl")));
    }
  }

  void whatIsNoWorkloadIsRefused_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QStringList>("parts");
    add_heads();
    add_context_files();
    add_question_files();
  }
  void whatIsNoWorkloadIsRefused() {
    QFETCH(QString, file);
    QFETCH(QByteArray, text);
    QFETCH(QStringList, parts);
    QVERIFY(write_workload(small_workload(2, 5, 3), at("spoilt")));
    QVERIFY(read_workload(at("spoilt")));
    write_files(at("spoilt"), {{file.toStdString(), text.toStdString()}});
    const auto read = read_workload(at("spoilt"));
    QVERIFY(!read);
    const QString message = QString::fromStdString(read.error().message);
    QCOMPARE(read.error().code, ErrorCode::rejected_input);
    QVERIFY2(message.contains(file) && !message.contains('\n'), qPrintable(message));
    for (const QString& part : parts) QVERIFY2(message.contains(part), qPrintable(part + ": " + message));
  }

  void aMissingFileIsNamed() {
    for (const char* name : file_names) {
      QVERIFY(write_workload(small_workload(2, 5, 3), at("missing")));
      std::filesystem::remove(at("missing") / name);
      const auto read = read_workload(at("missing"));
      QVERIFY(!read && read.error().message.find(name) != std::string::npos);
      QCOMPARE(read.error().code, ErrorCode::rejected_input);
    }
  }

  // Bytes flipped, cut out, doubled and moved: an error in one line or a workload that can be written and read again.
  void damageIsRefusedOrHarmless() {
    Random random(20261121);
    Workload every_field = small_workload(2, 5, 3);
    every_field.description = "d";
    every_field.made_by = "m";
    every_field.arrivals.tail_share = 0.5;
    every_field.arrivals.bursts = Bursts{};
    every_field.arrivals.drift = Drift{};
    every_field.questions[1].other_golds = {"a", "b"};
    every_field.questions[1].phase = every_field.questions[3].phase = 1;
    every_field.questions[3].gold.clear();
    every_field.questions[0].max_answer_tokens = 99;
    QVERIFY(write_workload(every_field, at("whole")));
    const Files whole = read_files(at("whole"));
    write_files(at("damaged"), whole);
    const std::string marks = "{}[]\",:\\\n0-.e\x00\xff";
    int refused = 0, read_anyway = 0;
    for (int round = 0; round < 3000; ++round) {
      const std::string changed = file_names[random.below(3)];
      std::string text = whole.at(changed);
      for (std::uint64_t hits = 1 + random.below(3); hits > 0 && !text.empty(); --hits) {
        const auto at = static_cast<std::size_t>(random.below(text.size()));
        const auto length = static_cast<std::size_t>(1 + random.below(20));
        switch (random.below(6)) {
          case 0:
            text[at] = static_cast<char>(random.next());
            break;
          case 1:
            text[at] = marks[random.below(marks.size())];
            break;
          case 2:
            text.erase(at, length);
            break;
          case 3:
            text.insert(at, text.substr(at, length));
            break;
          case 4:
            text.resize(at);
            break;
          default:
            text.insert(at, 1, marks[random.below(marks.size())]);
            break;
        }
      }
      write_files(at("damaged"), {{changed, text}});
      const auto read = read_workload(at("damaged"));
      write_files(at("damaged"), {{changed, whole.at(changed)}});
      if (!read) {
        ++refused;
        QCOMPARE(read.error().code, ErrorCode::rejected_input);
        QVERIFY2(read.error().message.find('\n') == std::string::npos, read.error().message.c_str());
        continue;
      }
      ++read_anyway;
      QVERIFY(!read->contexts.empty());
      for (const WorkloadRequest& request : read->requests(20, 1)) {
        QVERIFY(request.context < read->contexts.size());
        QCOMPARE(read->questions.at(request.question).context, request.context);
      }
      QVERIFY(write_workload(*read, at("rewritten")));
      const auto again = read_workload(at("rewritten"));
      QVERIFY2(again, again ? "" : again.error().message.c_str());
      compare(*again, *read);
    }
    qInfo("%d refused, %d still a workload", refused, read_anyway);
    QVERIFY(refused > 1000 && read_anyway > 100);
  }

  void initTestCase() {
    for (const char* name : {"damaged", "spoilt"}) std::filesystem::create_directories(at(name));
  }
};

KV_TEST_GUILESS_MAIN(WorkloadFilesTest)

}  // namespace workload_files_test

#include "workload_files_test.moc"
