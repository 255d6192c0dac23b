// links: kv_base
// Files in the form of published data sets (tests/parity/make_format_samples.py): each is recognized by its content,
// and holds what the script that wrote it counted. Fields of other names are found or mapped; contexts that are too
// long are left out, split or cut, and counted.
#include <QCryptographicHash>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/base/json.h"
#include "core/workload/datasets/choices.h"
#include "core/workload/datasets/import_generic.h"
#include "core/workload/datasets/import_workload.h"
#include "tests/support/test_program.h"

namespace formats_test {

using namespace kvantage;
using std::filesystem::path;

namespace {

const path sample_files = path(KVANTAGE_SOURCE_DIR) / "tests/goldens/formats";

Json expected_data_sets() {
  const auto json = read_json_file(sample_files / "expected.json");
  return json ? json->value("data_sets", Json::object()) : Json::object();
}

std::size_t words_in(std::string_view text) { return static_cast<std::size_t>(std::ranges::count(text, ' ')) + 1; }

/// "word0 word1 ..." with a sentence every ten words.
std::string long_text(int words) {
  std::string text;
  for (int i = 0; i < words; ++i) text += "word" + std::to_string(i) + (i % 10 == 9 ? ". " : " ");
  return text;
}

}  // namespace

class FormatsTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  path write(const std::string& name, const std::string& text) const {
    const path file = path(folder_.path().toStdString()) / name;
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  static FieldMap map_of(const char* text) { return parse_field_map(text, entry_keys).value_or(FieldMap{}); }

  /// A context of 300 words with a question about its beginning and one about its end.
  path long_file() const {
    return write("long.json", Json{{"context", long_text(300)},
                                   {"questions", {"Which follows word3?", "Which follows word290?"}},
                                   {"answers", {"word4", "word291"}}}
                                  .dump());
  }
  static ImportOptions of_length(LongContextAction action, std::size_t tokens) {
    ImportOptions options;
    options.long_contexts.count_tokens = words_in;
    options.long_contexts.max_tokens = tokens;
    options.long_contexts.action = action;
    options.long_contexts.overlap_tokens = 10;
    return options;
  }

 private slots:
  void everyFileIsReadAsItWasWritten_data() {
    QTest::addColumn<QString>("file");
    const Json expected = expected_data_sets();
    QVERIFY(expected.size() >= 16);
    for (const auto& [file, ignored] : expected.items()) QTest::newRow(file.c_str()) << QString::fromStdString(file);
  }
  void everyFileIsReadAsItWasWritten() {
    QFETCH(QString, file);
    const Json golden = expected_data_sets().at(file.toStdString());
    ImportReport report;
    const auto workload = import_workload({sample_files / file.toStdString()}, "auto", {}, &report);
    QVERIFY2(workload, workload ? "" : workload.error().message.c_str());
    QCOMPARE(report.format, golden.at("format").get<std::string>());
    QCOMPARE(report.metric, golden.at("metric").get<std::string>());
    QCOMPARE(workload->contexts.size(), golden.at("contexts").get<std::size_t>());
    QCOMPARE(workload->questions.size(), golden.at("questions").get<std::size_t>());
    std::vector<std::string> golds;
    for (const WorkloadQuestion& question : workload->questions) {
      golds.push_back(question.gold);
      golds.insert(golds.end(), question.other_golds.begin(), question.other_golds.end());
      QVERIFY(!question.question.empty());
    }
    QCOMPARE(golds.size(), golden.at("golds").get<std::size_t>());
    std::ranges::sort(golds);
    QByteArray joined;
    for (const std::string& gold : golds) joined += (joined.isEmpty() ? "" : "\n") + QByteArray::fromStdString(gold);
    QCOMPARE(QString(QCryptographicHash::hash(joined, QCryptographicHash::Sha256).toHex()),
             QString::fromStdString(golden.at("golds_sha256").get<std::string>()));
    QVERIFY(report.entries.balanced() && report.contexts.balanced());
  }

  void promptsAreThePublishedOnes() {
    const auto v2 = import_workload({sample_files / "data.json"}, "auto", {});
    QVERIFY(v2.has_value());
    QVERIFY(
        v2->contexts[0].text.starts_with("Please read the following text and answer the question below.\n\n<text>\n"));
    QVERIFY(v2->questions[0].question.find("\nChoices:\n(A) one\n(B) two\n(C) three\n(D) four\n") != std::string::npos);
    const auto ruler = import_workload({sample_files / "niah_multivalue.jsonl"}, "auto", {});
    QVERIFY(ruler.has_value());
    QVERIFY(ruler->questions[0].question.starts_with("What are all the special magic numbers for word-0"));
    QVERIFY(ruler->questions[0].question.ends_with(" mentioned in the provided text are"));
    const auto keys = import_workload({sample_files / "kv-retrieval-4_keys.jsonl"}, "auto", {});
    QVERIFY(keys.has_value());
    QVERIFY(keys->contexts[0].text.ends_with(
        "JSON data:\n{\"key-0-0\": \"value-0-0\",\n \"key-0-1\": \"value-0-1\",\n \"key-0-2\": \"value-0-2\",\n "
        "\"key-0-3\": \"value-0-3\"}"));
    QCOMPARE(keys->questions[0].question, std::string("Key: \"key-0-2\"\nCorresponding value:"));
  }

  void aMapNamesNestedFieldsListsAndConstants() {
    const path file = write(
        "own.jsonl", R"({"meta": {"body": "A long text."}, "head": "Title", "turns": [{"ask": "q1", "say": "a1"}, )"
                     R"({"ask": "q2", "say": ["a2", "b2"]}], "n": 7})"
                     "\n");
    ImportOptions options;
    options.source.map = map_of("context=head+meta.body,question=turns.ask,answers=turns.say,id=n");
    ImportReport report;
    const auto workload = import_workload({file}, "auto", options, &report);
    QVERIFY2(workload, workload ? "" : workload.error().message.c_str());
    QCOMPARE(workload->contexts[0].text, std::string("Title\n\nA long text."));
    QCOMPARE(workload->contexts[0].id, std::string("own-7"));
    QCOMPARE(workload->questions.size(), std::size_t{2});
    QCOMPARE(workload->questions[1].question, std::string("q2"));
    QCOMPARE(workload->questions[1].other_golds, std::vector<std::string>{"b2"});
    options.source.map = map_of("context=meta.body,question=\"Sum it up, please.\",answers=head");
    const auto constant = import_workload({file}, "auto", options);
    QVERIFY2(constant, constant ? "" : constant.error().message.c_str());
    QCOMPARE(constant->questions[0].question, std::string("Sum it up, please."));
    QCOMPARE(constant->questions[0].gold, std::string("Title"));
    // Every field that is not there, at once.
    options.source.map = map_of("context=body,question=ask,answers=head");
    const auto absent = import_workload({file}, "auto", options);
    QVERIFY(!absent);
    QCOMPARE(absent.error().message,
             file.string() +
                 ":1: there is no field 'body' (context), 'ask' (question); its fields are head, meta.body, "
                 "n, turns.ask, turns.say");
    // A file in a format of its own takes no map.
    QVERIFY(!import_workload({file}, "squad", options));
  }

  void textsAloneAreContextsWithoutQuestions() {
    ImportOptions options;
    options.source.map = map_of("context=text");
    ImportReport report;
    const auto workload = import_workload({write("books.jsonl", "{\"text\": \"One.\"}\n{\"text\": \"Two.\"}\n")},
                                          "auto", options, &report);
    QVERIFY2(workload, workload ? "" : workload.error().message.c_str());
    QCOMPARE(workload->contexts.size(), std::size_t{2});
    QVERIFY(workload->questions.empty());
    QVERIFY(report.entries.read == 0 && report.entries.dropped.empty());  // nothing asked, nothing lost
    QCOMPARE(report.contexts.read, std::size_t{2});
  }

  void theOneSplitOfAFileIsRead() {
    const std::string list = R"([{"context": "a b", "question": "q?", "answers": ["a"]}])";
    const auto workload = import_workload({write("train.json", "{\"train\": " + list + "}")}, "auto", {});
    QVERIFY2(workload, workload ? "" : workload.error().message.c_str());
    QCOMPARE(workload->questions.at(0).gold, std::string("a"));
    const auto refused = [&](const char* name, const std::string& text) {
      const auto none = import_workload({write(name, text)}, "auto", {});
      return none ? std::string("it was read") : none.error().message;
    };
    const std::string two = refused("two.json", "{\"test\": " + list + ", \"train\": " + list + "}");
    QVERIFY2(two.find("it holds the splits train, test; save the one that you want") != std::string::npos, two.c_str());
    const std::string needles =
        refused("needles.jsonl", "{\"needle\": \"n\", \"retrieval_question\": \"q?\", \"language\": \"en\"}\n");
    QVERIFY2(needles.find("needles of NeedleBench") != std::string::npos, needles.c_str());
    const std::string trace = refused("t.jsonl", "{\"timestamp\": 1, \"input_length\": 5, \"hash_ids\": [1]}\n");
    QVERIFY2(trace.find("it looks like a trace; give it to kvantage-cli trace info") != std::string::npos,
             trace.c_str());
  }

  void tablesOfAnySeparatorKeepLineBreaks() {
    for (const char separator : {',', '\t', ';'}) {
      const std::string s(1, separator);
      const auto workload =
          import_workload({write("t.csv", "question" + s + "context" + s + "answer\r\n\"a \"\"b\"\"?\"" + s +
                                              "\"one\r\n\r\ntwo\"" + s + "x\r\n\r\n")},
                          "auto", {});
      QVERIFY2(workload, workload ? "" : workload.error().message.c_str());
      QCOMPARE(workload->contexts[0].text, std::string("one\r\n\r\ntwo"));
      QCOMPARE(workload->questions[0].question, std::string("a \"b\"?"));
      QCOMPARE(workload->questions[0].gold, std::string("x"));
    }
  }

  // Some formats of other programs begin with letters alone.
  void wordsThatBeginFilesOfOtherProgramsAreText() {
    for (const char* word : {"ORC", "GGUF"}) {
      const auto workload =
          import_workload({write("words.csv", std::string(word) + ",context,question\n1,T,Q\n")}, "auto", {});
      QVERIFY2(workload, workload ? "" : workload.error().message.c_str());
      QCOMPARE(workload->questions.size(), std::size_t{1});
      const auto refused = import_workload({write("words.csv", std::string(word) + std::string(4, '\0'))}, "auto", {});
      QVERIFY(!refused);
      QVERIFY2(refused.error().message.find(word) != std::string::npos, refused.error().message.c_str());
      QVERIFY2(refused.error().message.find("binary file") == std::string::npos, refused.error().message.c_str());
    }
  }

  void lengthsAreRecordedAsOptions() {
    QCOMPARE(length_options(of_length(LongContextAction::split, 120).long_contexts),
             std::string(" --max-tokens 120 --split --overlap 10"));
    QCOMPARE(length_options(of_length(LongContextAction::truncate_middle, 0).long_contexts),
             std::string(" --truncate middle"));
    QVERIFY(length_options(LongContexts{}).empty());
  }

  void rowsOfAModuleAreEntries() {
    ImportOptions options;
    const path file = write("rows.parquet", "PAR1");
    options.source.read_rows = [](const path&, const std::function<Status(std::string_view)>& take) -> Status {
      KV_TRY(take(R"({"context": "T", "question": "Q", "answers": ["a"]})"));
      return take(R"({"context": "T", "question": "R", "answers": null})");
    };
    const auto workload = import_workload({file}, "auto", options);
    QVERIFY2(workload, workload ? "" : workload.error().message.c_str());
    QCOMPARE(workload->contexts.size(), std::size_t{1});
    QCOMPARE(workload->questions.size(), std::size_t{2});
    QVERIFY(workload->questions[1].gold.empty());
    options.source.read_rows = [](const path& at, const auto&) -> Status {
      return fail(ErrorCode::rejected_input, at.string() + ": cannot be read as Parquet: damaged; save it again");
    };
    QVERIFY(!import_workload({file}, "auto", options));
  }

  void anAnswerNamesItsOption() {
    using Texts = std::vector<std::string>;
    const Texts options{"red", "green", "blue"};
    QCOMPARE(choice_question("Q?", options, Texts{"green"}).golds, Texts{"B"});
    QCOMPARE(choice_question("Q?", options, Texts{"2"}).golds, Texts{"C"});
    QCOMPARE(choice_question("Q?", options, Texts{"A"}).golds, Texts{"A"});
    QCOMPARE(choice_question("Q?", options, Texts{"the name", "B"}).golds, Texts{"B"});  // as code_debug has them
    QVERIFY(!choice_question("Q?", options, Texts{"yellow"}).is_letter);
    QCOMPARE(lettered(options), std::string("A. red\nB. green\nC. blue"));
    QCOMPARE(lettered(Texts{"A. red", "(B) green"}), std::string("A. red\n(B) green"));
  }

  void longContextsAreSplitWithTheirQuestions() {
    ImportReport report;
    const auto workload = import_workload({long_file()}, "auto", of_length(LongContextAction::split, 120), &report);
    QVERIFY2(workload, workload ? "" : workload.error().message.c_str());
    QCOMPARE(report.lengths.longer, std::size_t{1});
    QCOMPARE(report.lengths.split, std::size_t{1});
    QCOMPARE(report.lengths.parts, std::size_t{2});
    QCOMPARE(workload->contexts.size(), std::size_t{2});
    for (const WorkloadContext& context : workload->contexts) {
      QVERIFY2(words_in(context.text) <= 120, context.text.c_str());
      QVERIFY(context.id.find("#") != std::string::npos);
    }
    for (const WorkloadQuestion& question : workload->questions)
      QVERIFY(workload->contexts[question.context].text.find(question.gold) != std::string::npos);
    QVERIFY(report.contexts.dropped.contains("part of a long context, without a question"));
    QVERIFY(report.entries.balanced() && report.contexts.balanced());
    ImportOptions wide = of_length(LongContextAction::split, 120);
    wide.long_contexts.overlap_tokens = 60;
    const auto refused = import_workload({long_file()}, "auto", wide);
    QVERIFY(!refused && refused.error().code == ErrorCode::usage);
  }

  void partsOverlap() {
    std::vector<ImportedContext> contexts;
    contexts.push_back({"a", "f", long_text(300), {}});
    LongContextCounts counts;
    std::map<std::string, std::size_t> contexts_dropped, questions_dropped;
    QVERIFY(shorten_long_contexts(contexts, of_length(LongContextAction::split, 120).long_contexts, counts,
                                  contexts_dropped, questions_dropped));
    QVERIFY(contexts.size() >= 3);
    for (std::size_t i = 1; i < contexts.size(); ++i) {
      const std::string begin = contexts[i].text.substr(0, contexts[i].text.find(' '));
      QVERIFY2(contexts[i - 1].text.find(begin) != std::string::npos, contexts[i].text.c_str());
    }
    QCOMPARE(counts.parts, contexts.size());
  }

  void longContextsAreCutOrLeftOut() {
    ImportReport report;
    auto workload = import_workload({long_file()}, "auto", of_length(LongContextAction::truncate_middle, 100), &report);
    QVERIFY2(workload, workload ? "" : workload.error().message.c_str());
    QCOMPARE(report.lengths.truncated, std::size_t{1});
    const std::string& middle = workload->contexts[0].text;
    QVERIFY(words_in(middle) <= 101 && middle.starts_with("word0 ") && middle.find("word299") != std::string::npos &&
            middle.find("word150 ") == std::string::npos);
    workload = import_workload({long_file()}, "auto", of_length(LongContextAction::truncate_end, 100), &report);
    QVERIFY(workload.has_value());
    QVERIFY(workload->contexts[0].text.starts_with("word0 ") &&
            workload->contexts[0].text.find("word299") == std::string::npos);
    workload = import_workload({long_file()}, "auto", of_length(LongContextAction::skip, 100), &report);
    QVERIFY(!workload && workload.error().message.find("2 longer than 100 tokens") != std::string::npos);
    QCOMPARE(report.lengths.skipped, std::size_t{1});
  }

  void whatTheModelCannotServeIsCountedAndKept() {
    ImportOptions options = of_length(LongContextAction::keep, 0);
    options.long_contexts.served_tokens = 500;  // less the room for a question, an answer and the prompt
    ImportReport report;
    const auto workload = import_workload({long_file()}, "auto", options, &report);
    QVERIFY2(workload, workload ? "" : workload.error().message.c_str());
    QCOMPARE(report.lengths.longer, std::size_t{1});
    QCOMPARE(report.lengths.kept, std::size_t{1});
    QCOMPARE(workload->contexts.size(), std::size_t{1});
    options.long_contexts.action = LongContextAction::truncate_end;
    const auto cut = import_workload({long_file()}, "auto", options, &report);
    QVERIFY(cut && words_in(cut->contexts[0].text) <= 500 - 256 - 64);
  }
};

KV_TEST_GUILESS_MAIN(FormatsTest)

}  // namespace formats_test

#include "formats_test.moc"
