// links: kv_base
// Readers of data sets refuse what is damaged by file, entry and field.
#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>
#include <fstream>

#include "core/base/json.h"
#include "core/base/random.h"
#include "core/workload/datasets/import_workload.h"
#include "tests/support/test_program.h"

namespace import_damage_test {

using namespace kvantage;
using std::filesystem::path;

class ImportDamageTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  path at(const std::string& name) const { return path(folder_.path().toStdString()) / name; }
  path write(const std::string& name, const std::string& text) const {
    std::ofstream(at(name), std::ios::binary) << text;
    return at(name);
  }
  // The message of a refusal, or nothing if the file was taken.
  QString refusal(const std::string& name, const std::string& text, const std::string& format = "auto") const {
    const auto workload = import_workload({write(name, text)}, format, {});
    return workload ? QString() : QString::fromStdString(workload.error().message);
  }

 private slots:
  void damagedFilesAreRefusedByEntryAndField_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QStringList>("parts");
    const auto row = [](const char* title, const char* name, const QByteArray& text, const QStringList& parts) {
      QTest::newRow(title) << QString(name) << text << parts;
    };
    row("empty", "a.json", "", {"a.json", "is empty"});
    row("not JSON", "a.json", "{", {"a.json", "not valid JSON"});
    row("invalid UTF-8", "a.json", "{\"0\": {\"origin_prompt\": \"\xff\", \"gold\": []}}",
        {"a.json", "not valid JSON"});
    row("half a surrogate", "a.json", R"({"0": {"origin_prompt": "\ud800", "gold": []}})",
        {"a.json", "not valid JSON"});
    row("brackets only", "a.json", QByteArray(100000, '['), {"a.json", "nested too deeply"});
    row("another format", "a.json", R"({"hello": 1, "there": {"you": "x"}})",
        {"a.json", "none of the formats", "no field is known to hold context and question",
         "(its fields: hello, there.you)", "; name them with --map context=FIELD,question=FIELD,answers=FIELD"});
    row("a list", "a.json", "[1, 2]",
        {"a.json", "none of the formats", "longbench, qmsum, squad, leval", "it holds no object with fields; "});
    row("an answer too few", "a.json", R"({"context": "T", "questions": ["a", "b"], "answers": ["x"]})",
        {"a.json: field 'answers' has 1 answers for 2 questions; "});
    row("a later entry without its field", "a.jsonl",
        "{\"passage\": \"T\", \"query\": \"Q\"}\n{\"passage\": \"T\", \"ask\": \"Q\"}",
        {"a.jsonl:2: field 'query' (question) is missing; its fields are ask, passage"});
    row("an object for a text", "a.json", R"({"context": {"a": 1}, "question": "q"})",
        {"field 'context' is an object without a text (its fields: a); "});
    row("pointer of Git LFS", "a.jsonl", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n",
        {"a.jsonl: is a Git LFS pointer, not the data; fetch the data with 'git lfs pull'"});
    row("zip", "a.json", QByteArray("PK\x03\x04 and more", 13), {"a.json: is a zip archive", "; unpack it first"});
    row("web page", "a.jsonl", "<!DOCTYPE html><html>", {"a.jsonl: is a web page, not the data; "});
    row("pickle", "a.json", QByteArray("\x80\x04\x95\x01", 4), {"is a Python pickle", "; save it as JSON lines"});
    row("picture", "a.json", QByteArray("\x89PNG\r\n\x1a\n", 8), {"is a picture; "});
    row("binary", "a.dat", QByteArray("\x01\0\x02", 3), {"is a binary file; "});
    row("Parquet without a module", "a.parquet", "PAR1....", {"is a Parquet file", "'./run --parquet' builds it"});
    row("table with a short row", "a.csv", "context,question\nT,Q\nT\n",
        {"a.csv:3: has 1 fields where the header has 2; "});
    row("table with open quotes", "a.csv", "context,question\n\"T,Q\n", {"a.csv:2: quotes do not close; "});
    row("no table", "a.csv", "only words here\n", {"a.csv: is neither JSON, JSON lines, Parquet nor CSV"});
    row("a second line damaged", "a.jsonl", "{\"context\": \"T\", \"input\": \"Q\", \"answers\": []}\n{",
        {"a.jsonl:2", "not valid JSON"});
    row("a second line of a number", "a.jsonl", "{\"context\": \"T\", \"input\": \"Q\", \"answers\": []}\n7",
        {"a.jsonl:2", "expected an object"});
    row("prompt of the wrong type", "a.json", R"({"3": {"origin_prompt": 5, "gold": []}})",
        {"entry '3'", "'origin_prompt'", "number"});
    row("no gold", "a.json", R"({"3": {"origin_prompt": "a\n\nb"}})", {"entry '3'", "'gold' is missing"});
    row("gold of the wrong type", "a.json", R"({"3": {"origin_prompt": "a\n\nb", "gold": ["x", 7]}})",
        {"entry '3'", "gold", "[1]", "number"});
    row("gold object without answers", "a.json", R"({"3": {"origin_prompt": "a\n\nb", "gold": {}}})",
        {"entry '3': gold", "'answers' is missing"});
    row("answers of the wrong type", "a.jsonl", R"({"context": "T", "input": "Q", "answers": {}})",
        {"a.jsonl", "'answers'", "object"});
    row("context missing", "a.jsonl",
        "{\"context\": \"T\", \"input\": \"Q\", \"answers\": []}\n{\"input\": \"Q\", \"answers\": []}",
        {"a.jsonl:2", "'context' is missing"});
    row("transcript no list", "a.jsonl", R"({"meeting_transcripts": 1})",
        {"a.jsonl:1", "'meeting_transcripts'", "must be a list"});
    row("turn without speaker", "a.jsonl", R"({"meeting_transcripts": [{"content": "x"}]})",
        {"meeting_transcripts[0]", "'speaker' is missing"});
    row("no queries", "a.jsonl", R"({"meeting_transcripts": []})", {"'general_query_list' is missing"});
    row("query without answer", "a.jsonl",
        R"({"meeting_transcripts": [], "general_query_list": [{"query": "q"}], "specific_query_list": []})",
        {"general_query_list[0]", "'answer' is missing"});
    row("no paragraphs", "a.json", R"({"data": [{"paragraphs": []}, {"title": "x"}]})",
        {"data[1]", "'paragraphs' is missing"});
    row("paragraph without context", "a.json", R"({"data": [{"paragraphs": [{"qas": []}]}]})",
        {"data[0].paragraphs[0]", "'context' is missing"});
    row("answers no list", "a.json",
        R"({"data": [{"paragraphs": [{"context": "c", "qas": [{"question": "q", "answers": {}}]}]}]})",
        {"data[0].paragraphs[0].qas[0]", "'answers'", "must be a list"});
    row("impossible no truth value", "a.json",
        R"({"data": [{"paragraphs": [{"context": "c", "qas": [{"question": "q", "is_impossible": "no", )"
        R"("answers": []}]}]}]})",
        {"qas[0]", "'is_impossible'"});
    row("nothing to ask", "a.json", R"({"data": []})", {"a.json", "it has no usable questions"});
  }
  void damagedFilesAreRefusedByEntryAndField() {
    QFETCH(QString, name);
    QFETCH(QByteArray, text);
    QFETCH(QStringList, parts);
    const QString message = refusal(name.toStdString(), text.toStdString());
    for (const QString& part : parts) QVERIFY2(message.contains(part), qPrintable(part + " is not in: " + message));
    QVERIFY2(message.size() < 600 && !message.contains('\n'), qPrintable(message));
  }
  void filesOfOthersAreNamed_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QStringList>("parts");
    const auto row = [](const char* title, const char* name, const QByteArray& text, const QStringList& parts) {
      QTest::newRow(title) << QString(name) << text << parts;
    };
    // As in CoQA: entries of their own fields, not of SQuAD's.
    row("articles of others", "a.json",
        R"({"data": [{"story": "T", "questions": [{"input_text": "q", "turn_id": 1}], "answers": []}]})",
        {"a.json: data: [0]: field 'questions' is an object without a text (its fields: input_text, turn_id); "});
    row("entries without a question", "a.json", R"({"version": 1, "data": [{"title": "x"}]})",
        {"none of the formats", "no field is known to hold context and question (its fields: title)"});
    row("plain numbers", "a.txt", "5\n7\n5\n", {"a.txt: looks like plain numbers, one a line; ", "trace info"});
    row("a log", "a.log", "2023-11-16 10:00:01 GET /index.html 200 1234\n",
        {"a.log: looks like a log, its values separated by blanks; ", "trace info"});
    row("a table of values", "a.csv", "5,7,4096\n6,7,512\n",
        {"its first line has numbers and no names; ", "trace info with --map time=#1,context=#2,bytes=#3"});
    row("conversations", "a.json", R"([{"id": "a", "conversations": [{"from": "human", "value": "Hi"}]}])",
        {"these are conversations of ShareGPT; ", "--map context=conversations.value"});
  }
  void filesOfOthersAreNamed() { damagedFilesAreRefusedByEntryAndField(); }

  void unknownFormatsAndHugeFilesAreRefused() {
    QVERIFY(refusal("b.json", R"({"data": []})", "sqad").contains("none of auto, longbench, qmsum, squad"));
    const path file = write("huge.json", "{");
    std::filesystem::resize_file(file, (std::uintmax_t{256} << 20) + 1);
    const auto workload = import_workload({file}, "auto", {});
    QVERIFY(!workload && QString::fromStdString(workload.error().message).contains("larger than 256 MiB"));
    QVERIFY(!import_workload({}, "auto", {}));
    QVERIFY(!import_workload({at("nowhere.json")}, "auto", {}));
  }

  void noDamageIsTakenQuietly() {
    // Small files of each format: cut anywhere, bytes changed anywhere, values of other types anywhere. Whatever is
    // taken is balanced and can be written and read; whatever is not has a message of one line.
    const std::string samples[] = {
        R"({"0": {"origin_prompt": "A text.\n\nAnother.\n\nWhat?", "prediction": "x", "gold": ["y", "z"], )"
        R"("time": 0.5}, "1": {"origin_prompt": "A text.\n\nWhy?", "gold": {"answers": ["y"], "all_classes": ["a"]}}})",
        "{\"input\": \"Who?\", \"context\": \"Text.\", \"answers\": [\"Ada\"], \"dataset\": \"hotpotqa\", \"length\": "
        "3}\n{\"input\": \"When?\", \"context\": \"Text.\", \"answers\": [], \"dataset\": null}",
        R"({"topic_list": [], "general_query_list": [{"query": "q", "answer": "a"}], )"
        R"("specific_query_list": [{"query": "r", "answer": "b", "relevant_text_span": [["1", "2"]]}], )"
        R"("meeting_transcripts": [{"speaker": "S", "content": "words"}]})",
        R"({"version": "v2.0", "data": [{"title": "T", "paragraphs": [{"context": "c d e", "qas": [{"id": "1", )"
        R"("question": "q", "is_impossible": false, "answers": [{"text": "d", "answer_start": 2}]}]}]}]})"};
    int taken = 0, refused = 0;
    const auto attempt = [&](const std::string& text) {
      ImportReport report;
      const path file = write("fuzz.json", text);
      const auto workload = import_workload({file}, "auto", {}, &report);
      if (!workload) {
        ++refused;
        return workload.error().code == ErrorCode::rejected_input &&
               workload.error().message.find("fuzz.json") != std::string::npos &&
               workload.error().message.find('\n') == std::string::npos;
      }
      ++taken;
      return report.entries.balanced() && report.contexts.balanced() &&
             report.entries.made == workload->questions.size() &&
             (taken % 8 != 0 || (write_workload(*workload, at("fuzzed")) && read_workload(at("fuzzed"))));
    };
    Random random(5);
    for (const std::string& sample : samples) {
      QVERIFY(attempt(sample));
      for (std::size_t length = 0; length < sample.size(); length += 3)
        QVERIFY2(attempt(sample.substr(0, length)), sample.substr(0, length).c_str());
      for (int round = 0; round < 150; ++round) {
        std::string spoiled = sample;
        for (std::uint64_t n = 1 + random.below(3); n > 0; --n)
          spoiled[random.below(spoiled.size())] = static_cast<char>(random.below(256));
        QVERIFY2(attempt(spoiled), spoiled.c_str());
      }
      if (!Json::accept(sample)) continue;
      const Json whole = Json::parse(sample);
      const Json flat = whole.flatten();
      for (const auto& [pointer, ignored] : flat.items())
        for (Json::json_pointer place(pointer); !place.empty(); place = place.parent_pointer())
          for (const Json& value :
               {Json(), Json(7), Json(""), Json("text"), Json::array(), Json::object(), Json(true), Json({1, "a"})}) {
            Json changed = whole;
            changed[place] = value;
            QVERIFY2(attempt(changed.dump()), changed.dump().c_str());
          }
    }
    QVERIFY(taken > 50 && refused > 200);
  }
};

KV_TEST_GUILESS_MAIN(ImportDamageTest)

}  // namespace import_damage_test

#include "import_damage_test.moc"
