// links: kv_base
// Questions with options whose answers number them, from 0 or from 1, and entries that are keyed by their ids.
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "core/base/json.h"
#include "core/workload/datasets/choices.h"
#include "core/workload/datasets/import_generic.h"
#include "core/workload/datasets/import_workload.h"
#include "tests/support/test_program.h"

namespace choices_test {

using namespace kvantage;
using std::filesystem::path;
using Texts = std::vector<std::string>;

class ChoicesTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  path write(const std::string& name, const std::string& text) const {
    const path file = path(folder_.path().toStdString()) / name;
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }

  /// A line for each question, of four options, which `answers` name; as QuALITY has them.
  static std::string exam(const std::vector<Json>& answers) {
    std::string lines;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      Json question;
      question["article"] = "Text " + std::to_string(i);
      question["question"] = "Which?";
      question["options"] = std::vector<std::string>{"red", "green", "blue", "gray"};
      question["label"] = answers[i];
      lines += question.dump() + "\n";
    }
    return lines;
  }
  struct Read {
    Texts golds;
    ImportReport report;
    std::string error;
  };
  Read read(const std::string& name, const std::string& text) const {
    Read made;
    const auto workload = import_workload({write(name, text)}, "auto", {}, &made.report);
    if (!workload) made.error = workload.error().message;
    if (workload)
      for (const WorkloadQuestion& question : workload->questions) made.golds.push_back(question.gold);
    return made;
  }

 private slots:
  void numbersCountFromOneWhereTheyMust_data() {
    QTest::addColumn<QString>("answers");
    QTest::addColumn<int>("first");
    QTest::addColumn<QString>("golds");
    QTest::newRow("as QuALITY has them") << "[1, 4, 2]" << 1 << "A D B";
    QTest::newRow("as texts") << "[\"1\", \"4\", \" 2 \"]" << 1 << "A D B";
    QTest::newRow("from 0") << "[0, 3, 2]" << 0 << "A D C";
    QTest::newRow("neither the first nor the last") << "[1, 2, 3]" << 0 << "B C D";
    QTest::newRow("with letters and texts") << "[4, \"A\", \"blue\", 1]" << 1 << "D A C A";
    QTest::newRow("only letters and texts") << "[\"b\", \"(C)\", \"gray\", \"A. red\"]" << -1 << "B C D A";
  }
  void numbersCountFromOneWhereTheyMust() {
    QFETCH(QString, answers);
    QFETCH(int, first);
    QFETCH(QString, golds);
    const auto given = Json::parse(answers.toStdString()).get<std::vector<Json>>();
    const Read made = read("exam.jsonl", exam(given));
    QVERIFY2(made.error.empty(), made.error.c_str());
    QString found;
    for (const std::string& gold : made.golds) found += (found.isEmpty() ? "" : " ") + QString::fromStdString(gold);
    QCOMPARE(found, golds);
    QCOMPARE(made.report.metric, std::string("choice"));
    QCOMPARE(made.report.first_options.size(), std::size_t(first < 0 ? 0 : 1));
    if (first >= 0) QCOMPARE(made.report.first_options.at("exam.jsonl"), static_cast<std::size_t>(first));
  }

  // It would be scored against a text that is none of the letters that are asked for.
  void anAnswerThatNamesNoOptionIsDropped() {
    // From 0, as one is 0: there is no option 4.
    const Read numbers = read("numbers.jsonl", exam({0, 4, 3, "yellow"}));
    QVERIFY2(numbers.error.empty(), numbers.error.c_str());
    QCOMPARE(numbers.golds, (Texts{"A", "D"}));
    QCOMPARE(numbers.report.entries.dropped.at("answer names no option"), std::size_t{2});
    QVERIFY(numbers.report.entries.balanced() && numbers.report.contexts.balanced());
    QCOMPARE(numbers.report.metric, std::string("choice"));
    // Without an answer a question is scored against the full KV cache.
    const Read open = read("open.jsonl", exam({1, nullptr}));
    QCOMPARE(open.golds, (Texts{"B", ""}));
    // A list within a cell of a table is one text, and no choice.
    const Read cell = read("cell.csv", "article,question,options,label\nT,Which?,\"['red', 'green']\",red\n");
    QCOMPARE(cell.golds, Texts{"red"});
    QCOMPARE(cell.report.metric, std::string("token_f1"));
    const Read none = read("none.jsonl", exam({"yellow"}));
    QVERIFY2(none.error.find("1 answer names no option") != std::string::npos, none.error.c_str());
  }

  void everyFileCountsForItself() {
    ImportReport report;
    const auto workload =
        import_workload({write("one.jsonl", exam({1, 4})), write("zero.jsonl", exam({0, 3}))}, "auto", {}, &report);
    QVERIFY2(workload, workload ? "" : workload.error().message.c_str());
    QCOMPARE(report.first_options, (std::map<std::string, std::size_t>{{"one.jsonl", 1}, {"zero.jsonl", 0}}));
  }

  void indicesAreNotLettersOrTexts() {
    const Texts options{"1", "2", "3"};
    OptionIndices indices;
    indices.note(options, Texts{"3", "B", "2"});  // these are texts of options
    QVERIFY(!indices.any());
    QCOMPARE(choice_question("Q?", options, Texts{"3"}, 1).golds, Texts{"C"});
    indices.note(Texts{"red", "green"}, Texts{"2"});
    QVERIFY(indices.any() && indices.first() == 1);
    indices.note(Texts{"red", "green"}, Texts{"0"});
    QCOMPARE(indices.first(), std::size_t{0});
    QVERIFY(!choice_question("Q?", Texts{"red", "green"}, Texts{"0"}, 1).is_letter);
    // Where a letter is given with a name, the name is no letter in another form.
    QCOMPARE(choice_question("Q?", Texts{"red", "green"}, Texts{"a", "B"}).golds, Texts{"B"});
  }

  // As Qasper: an object of papers by their ids.
  void objectsOfTheSameFieldsAreEntries() {
    const auto paper = [](const std::string& text, const std::string& question) {
      return "{\"title\": \"T\", \"text\": \"" + text + "\", \"qas\": [{\"question\": \"" + question +
             "\", \"answers\": [\"a\"]}]}";
    };
    const Json papers =
        Json::parse("{\"1909.00694\": " + paper("One.", "p?") + ", \"2003.07723\": " + paper("Two.", "q?") + "}");
    const Read made = read("papers.json", papers.dump());
    QVERIFY2(made.error.empty(), made.error.c_str());
    QCOMPARE(made.report.format, std::string("generic"));
    QCOMPARE(made.report.contexts.read, std::size_t{2});
    QCOMPARE(made.golds, (Texts{"a", "a"}));
    // What is missing is said of an entry.
    Json bare = papers;
    for (auto& [id, one] : bare.items()) one.erase("text");
    const Read lacks = read("bare.json", bare.dump());
    QVERIFY2(lacks.error.find("no field is known to hold context (its fields: qas.answers, qas.question, title); ") !=
                 std::string::npos,
             lacks.error.c_str());
    // Parts of one entry that look alike: its own names are known, or a map names them.
    QCOMPARE(
        read("parts.json", "{\"passage\": {\"text\": \"T.\"}, \"query\": {\"text\": \"q?\"}}").report.contexts.read,
        std::size_t{1});
    const std::string others = "{\"left\": {\"text\": \"T.\"}, \"right\": {\"text\": \"q?\"}}";
    ImportOptions options;
    options.source.map = parse_field_map("context=left.text,question=right.text", entry_keys).value_or(FieldMap{});
    const auto mapped = import_workload({write("others.json", others)}, "auto", options);
    QVERIFY2(mapped, mapped ? "" : mapped.error().message.c_str());
    QCOMPARE(mapped->questions.at(0).question, std::string("q?"));
  }

  // What the reader of traces advises works.
  void conversationsAreContexts() {
    const std::string chats =
        "[{\"id\": \"a\", \"conversations\": [{\"from\": \"human\", \"value\": \"One.\"}, "
        "{\"from\": \"gpt\", \"value\": \"Two.\"}]}]";
    ImportOptions options;
    options.source.map = parse_field_map("context=conversations.value", entry_keys).value_or(FieldMap{});
    const auto workload = import_workload({write("chats.json", chats)}, "auto", options);
    QVERIFY2(workload, workload ? "" : workload.error().message.c_str());
    QCOMPARE(workload->contexts.at(0).text, std::string("One.\n\nTwo."));
  }
};

KV_TEST_GUILESS_MAIN(ChoicesTest)

}  // namespace choices_test

#include "choices_test.moc"
