// links: kv_base
// Data sets as workloads, checked against counts and digests that Python's json gave (tests/goldens/imports.json).
#include <QCryptographicHash>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "core/base/json.h"
#include "core/workload/datasets/import_longbench.h"
#include "core/workload/datasets/import_workload.h"
#include "core/workload/datasets/longbench_prompts.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace import_test {

using namespace kvantage;
using namespace kvantage::test;
using std::filesystem::path;

namespace {

path data_sets() { return shared_data() / "datasets"; }

const Json& goldens() {
  static const Json json =
      read_json_file(source_directory() / "tests" / "goldens" / "imports.json").value_or(Json::object());
  return json;
}
std::vector<std::string> golden_files(const char* format) {
  std::vector<std::string> files;
  const Json of_format = goldens().value(format, Json::object());
  for (const auto& [file, ignored] : of_format.items()) files.push_back(file);
  return files;
}

QString sha256(std::vector<std::string> parts) {
  std::ranges::sort(parts);
  QByteArray joined;
  for (std::size_t i = 0; i < parts.size(); ++i) joined += (i > 0 ? "\n" : "") + QByteArray::fromStdString(parts[i]);
  return QCryptographicHash::hash(joined, QCryptographicHash::Sha256).toHex();
}
QString text_of(const Json& json) { return QString::fromStdString(json.get<std::string>()); }

qsizetype letters(const std::string& text) {  // as Python's str.split() counts: white space of any kind out
  QString all = QString::fromStdString(text);
  all.remove(QRegularExpression("\\s", QRegularExpression::UseUnicodePropertiesOption))
      .remove(QRegularExpression("[\\x1c-\\x1f\\x85]"));
  return all.toUcs4().size();
}

std::vector<std::string> golds_of(const Workload& workload) {
  std::vector<std::string> golds;
  for (const WorkloadQuestion& question : workload.questions) {
    golds.push_back(question.gold);
    golds.insert(golds.end(), question.other_golds.begin(), question.other_golds.end());
  }
  return golds;
}

#define SKIP_WITHOUT(file) \
  if (!std::filesystem::exists(file)) QSKIP(("needs " + path(file).string()).c_str())

}  // namespace

class ImportTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  path at(const std::string& name) const { return path(folder_.path().toStdString()) / name; }
  path write(const std::string& name, const std::string& text) const {
    std::ofstream(at(name), std::ios::binary) << text;
    return at(name);
  }

 private slots:
  void numberedPromptsAreReadWhole_data() {
    QTest::addColumn<QString>("file");
    for (const std::string& file : golden_files("longbench"))
      QTest::newRow(file.c_str()) << QString::fromStdString(file);
  }
  void numberedPromptsAreReadWhole() {
    QFETCH(QString, file);
    const path source = data_sets() / "minilongbench" / file.toStdString();
    SKIP_WITHOUT(source);
    const Json golden = goldens()["longbench"][file.toStdString()];
    ImportReport report;
    const auto workload = import_workload({source}, "auto", {}, &report);
    QVERIFY2(workload, workload ? "" : workload.error().message.c_str());
    QVERIFY(report.entries.balanced() && report.contexts.balanced());
    QCOMPARE(report.entries.read, golden["entries"].get<std::size_t>());
    QCOMPARE(report.entries.made, golden["entries"].get<std::size_t>());
    QCOMPARE(workload->questions.size(), golden["entries"].get<std::size_t>());
    QCOMPARE(report.unknown_prompts, std::size_t{0});
    const std::vector<std::string> golds = golds_of(*workload);
    QCOMPARE(golds.size(), golden["golds"].get<std::size_t>());
    QCOMPARE(sha256(golds), text_of(golden["golds_sha256"]));

    // Context and question together are the prompt, and the question holds what the task asks.
    qsizetype all = 0;
    std::vector<std::string> asked;
    static const QRegularExpression question_line(
        QString::fromUtf8("(?:Question: |Query: |问题：)([^\\n]*)\\n\\n?(?:Answer|回答)[:：]$"));
    for (const WorkloadQuestion& question : workload->questions) {
      all += letters(workload->contexts[question.context].text) + letters(question.question);
      const auto match = question_line.match(QString::fromStdString(question.question));
      if (match.hasMatch()) asked.push_back(match.captured(1).trimmed().toStdString());
      QVERIFY2(question.question.size() < 8000 && workload->contexts[question.context].text.size() > 500,
               question.question.substr(0, 200).c_str());
    }
    QCOMPARE(all, golden["letters"].get<qsizetype>());
    QCOMPARE(asked.size(), golden["questions"].get<std::size_t>());
    QCOMPARE(sha256(asked), text_of(golden["questions_sha256"]));
  }

  void bothFormsOfLongbenchGiveTheSameParts_data() {
    QTest::addColumn<int>("task");
    for (int i = 0; i < static_cast<int>(longbench_prompts().size()); ++i)
      QTest::newRow(std::string(longbench_prompts()[static_cast<std::size_t>(i)].dataset).c_str()) << i;
  }
  void bothFormsOfLongbenchGiveTheSameParts() {
    QFETCH(int, task);
    const LongbenchPrompt& prompt = longbench_prompts()[static_cast<std::size_t>(task)];
    const std::string start = prompt.between.find(prompt.question_start) == std::string_view::npos &&
                                      prompt.behind.find(prompt.question_start) == std::string_view::npos
                                  ? std::string(prompt.question_start)
                                  : std::string();
    const bool has_input = !prompt.between.empty();
    const std::string context =
        "Some words of a text.\n\n" + start + "An example that looks like a question.\n\nMore words.";
    const std::string input = has_input ? start + "Who wrote the letter?" : "";
    const std::string filled =
        std::string(prompt.before) + context + std::string(prompt.between) + input + std::string(prompt.behind);
    const auto cut = split_longbench_prompt(filled);
    const auto made = longbench_parts(prompt.dataset, context, input);
    QVERIFY(cut && made && cut->known_task && made->known_task);
    QCOMPARE(QString::fromStdString(cut->context), QString::fromStdString(made->context));
    QCOMPARE(QString::fromStdString(cut->question), QString::fromStdString(made->question));
    QVERIFY(QString::fromStdString(cut->context).endsWith("More words."));
    QVERIFY(!has_input || cut->question.find("Who wrote the letter?") != std::string::npos);
  }

  void promptsOfNoKnownTaskEndWithTheirQuestion() {
    const auto parts = split_longbench_prompt("A text.\n\nMore of it.\n\nWhat does it say?\n");
    QVERIFY(parts && !parts->known_task);
    QCOMPARE(parts->context, std::string("A text.\n\nMore of it."));
    QCOMPARE(parts->question, std::string("What does it say?"));
    QVERIFY(!split_longbench_prompt("One paragraph only, whatever it says."));
    ImportReport report;
    const path file = write(
        "own.json",
        R"({"0": {"origin_prompt": "T.\n\nQ?", "gold": "g"}, "1": {"origin_prompt": "one paragraph", "gold": []}})");
    const auto workload = import_workload({file}, "auto", {}, &report);
    QVERIFY2(workload, workload ? "" : workload.error().message.c_str());
    QCOMPARE(report.unknown_prompts, std::size_t{1});
    QCOMPARE(report.entries.dropped.at("the question could not be separated from the context"), std::size_t{1});
    QVERIFY(report.entries.balanced());
  }

  void linesOfTheDataSetBecomeQuestions() {
    const std::string lines =
        R"({"input": "Who?", "context": "Long text A.", "answers": ["Ada", "Ada", "A. Holt"], "length": 3, )"
        R"("dataset": "hotpotqa", "language": "en", "all_classes": null, "_id": "x"})"
        "\n\n"
        R"({"input": "When?", "context": "Long text A.", "answers": ["1843"], "dataset": "hotpotqa"})"
        "\n"
        R"({"input": "Who?", "context": "Long text A.", "answers": ["Ada"], "dataset": "hotpotqa"})"
        "\n"
        R"({"input": "", "context": "A report.", "answers": ["summary"], "dataset": "gov_report"})"
        "\n"
        R"({"input": "Own?", "context": "Own text.", "answers": [], "dataset": "mine"})"
        "\n"
        R"({"input": "", "context": "Own text.", "answers": ["?"], "dataset": "mine"})"
        "\n";
    ImportReport report;
    const auto workload = import_workload({write("hotpot.jsonl", lines)}, "auto", {}, &report);
    QVERIFY2(workload, workload ? "" : workload.error().message.c_str());
    QCOMPARE(report.entries.read, std::size_t{6});
    QCOMPARE(report.entries.made, std::size_t{4});
    QCOMPARE(report.entries.dropped.at("same question about the same context"), std::size_t{1});
    QCOMPARE(report.entries.dropped.at("the question could not be separated from the context"), std::size_t{1});
    QVERIFY(report.entries.balanced() && report.contexts.balanced());
    QCOMPARE(workload->contexts.size(), std::size_t{3});
    QCOMPARE(workload->contexts[0].family, std::string("hotpotqa"));
    QVERIFY(
        QString::fromStdString(workload->contexts[0].text).endsWith("The following are given passages.\nLong text A."));
    QVERIFY(QString::fromStdString(workload->questions[0].question).endsWith("Question: Who?\nAnswer:"));
    QCOMPARE(workload->questions[0].gold, std::string("Ada"));
    QCOMPARE(workload->questions[0].other_golds, (std::vector<std::string>{"A. Holt"}));
    QCOMPARE(workload->questions[2].question, std::string("Now, write a one-page summary of the report.\n\nSummary:"));
    QCOMPARE(workload->questions[3].gold, std::string());
  }

  void meetingsAreReadWhole_data() {
    QTest::addColumn<QString>("file");
    for (const std::string& file : golden_files("qmsum")) QTest::newRow(file.c_str()) << QString::fromStdString(file);
  }
  void meetingsAreReadWhole() {
    QFETCH(QString, file);
    const path source = data_sets() / "qmsum" / file.toStdString();
    SKIP_WITHOUT(source);
    const Json golden = goldens()["qmsum"][file.toStdString()];
    ImportReport report;
    const auto workload = import_workload({source}, "auto", {}, &report);
    QVERIFY2(workload, workload ? "" : workload.error().message.c_str());
    QCOMPARE(report.entries.read, golden["queries"].get<std::size_t>());
    QCOMPARE(report.entries.made, golden["distinct_queries"].get<std::size_t>());
    QVERIFY(report.entries.balanced());
    QCOMPARE(workload->contexts.size(), golden["meetings"].get<std::size_t>());
    std::vector<std::string> queries;
    std::set<std::pair<std::size_t, QuestionSplit>> splits;
    for (const WorkloadQuestion& question : workload->questions) {
      queries.push_back(std::to_string(question.context) + " " + question.question);
      splits.insert({question.context, question.split});
    }
    QCOMPARE(sha256(queries), text_of(golden["queries_sha256"]));
    QCOMPARE(splits.size(), 2 * workload->contexts.size());  // each has both kinds
    std::ptrdiff_t turns = 0;
    for (const WorkloadContext& context : workload->contexts) turns += 1 + std::ranges::count(context.text, '\n');
    QCOMPARE(turns, golden["turns"].get<std::ptrdiff_t>());
  }

  void articlesAreReadWhole_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<bool>("whole_articles");
    for (const std::string& file : golden_files("squad")) {
      QTest::newRow((file + ", paragraphs").c_str()) << QString::fromStdString(file) << false;
      QTest::newRow((file + ", articles").c_str()) << QString::fromStdString(file) << true;
    }
  }
  void articlesAreReadWhole() {
    QFETCH(QString, file);
    QFETCH(bool, whole_articles);
    const path source = data_sets() / "xquad" / file.toStdString();
    SKIP_WITHOUT(source);
    const Json golden = goldens()["squad"][file.toStdString()];
    ImportOptions options;
    options.squad.whole_articles = whole_articles;
    ImportReport report;
    const auto workload = import_workload({source}, "auto", options, &report);
    QVERIFY2(workload, workload ? "" : workload.error().message.c_str());
    QCOMPARE(report.entries.read, golden["questions"].get<std::size_t>());
    QVERIFY(report.entries.balanced() && report.contexts.balanced());
    QCOMPARE(workload->contexts.size(), golden[whole_articles ? "articles" : "distinct_paragraphs"].get<std::size_t>());
    if (whole_articles) return;
    QCOMPARE(workload->questions.size(), golden["distinct_questions"].get<std::size_t>());
    if (golden["questions"] != golden["distinct_questions"]) return;
    std::vector<std::string> answers;
    for (const WorkloadQuestion& question : workload->questions)
      answers.push_back(question.question + "\t" + question.gold);
    QCOMPARE(sha256(answers), text_of(golden["answers_sha256"]));
  }

  void unanswerableQuestionsAreDroppedAndCounted() {
    const std::string squad2 =
        R"({"version": "v2.0", "data": [{"title": "T", "paragraphs": [{"context": "Ada wrote it in 1843.", "qas": [
      {"id": "1", "question": "Who?", "is_impossible": false, "answers": [{"text": "Ada", "answer_start": 0},
       {"text": "Ada", "answer_start": 0}, {"text": "Ada wrote", "answer_start": 0}]},
      {"id": "2", "question": "Where?", "is_impossible": true, "answers": [],
       "plausible_answers": [{"text": "1843", "answer_start": 16}]},
      {"id": "3", "question": "Why?", "answers": []}]},
      {"context": "Nothing is asked that it says.", "qas": [{"question": "What?", "is_impossible": true,
       "answers": []}]}]}]})";
    ImportReport report;
    const auto workload = import_workload({write("squad2.json", squad2)}, "auto", {}, &report);
    QVERIFY2(workload, workload ? "" : workload.error().message.c_str());
    QCOMPARE(report.entries.read, std::size_t{4});
    QCOMPARE(report.entries.dropped.at("unanswerable"), std::size_t{3});
    QCOMPARE(report.contexts.dropped.at("no usable question"), std::size_t{1});
    QCOMPARE(workload->questions.size(), std::size_t{1});
    QCOMPARE(workload->questions[0].gold, std::string("Ada"));
    QCOMPARE(workload->questions[0].other_golds, (std::vector<std::string>{"Ada wrote"}));
    QCOMPARE(workload->questions[0].split, QuestionSplit::held_out);  // one alone is asked; probes profile it
    QCOMPARE(workload->license, std::string("see source"));
  }

  void theSplitIsByShareAndSeed() {
    const std::string questions = [] {
      Json qas = Json::array();
      for (int i = 0; i < 10; ++i)
        qas.push_back({{"question", "Question " + std::to_string(i) + "?"}, {"answers", {{{"text", "a"}}}}});
      return Json{{"data", {{{"paragraphs", {{{"context", "A text."}, {"qas", qas}}}}}}}}.dump();
    }();
    const path file = write("ten.json", questions);
    const auto profiled = [&](double share, std::uint64_t seed) {
      ImportOptions options;
      options.profile_share = share;
      options.seed = seed;
      const auto workload = import_workload({file}, "squad", options);
      std::set<std::string> chosen;
      if (workload)
        for (const WorkloadQuestion& question : workload->questions)
          if (question.split == QuestionSplit::profile) chosen.insert(question.question);
      return chosen;
    };
    QCOMPARE(profiled(0.5, 1).size(), std::size_t{5});
    QCOMPARE(profiled(0.3, 1).size(), std::size_t{3});
    QCOMPARE(profiled(0.01, 1).size(), std::size_t{1});
    QCOMPARE(profiled(0.99, 1).size(), std::size_t{9});
    QCOMPARE(profiled(0, 1).size(), std::size_t{0});
    QVERIFY(profiled(0.5, 1) == profiled(0.5, 1));
    QVERIFY(profiled(0.5, 1) != profiled(0.5, 2));
    for (const double share : {1.0, -0.1, std::nan("")}) {
      ImportOptions options;
      options.profile_share = share;
      const auto workload = import_workload({file}, "squad", options);
      QVERIFY(!workload && workload.error().code == ErrorCode::usage);
    }
  }

  void limitsDropAndCount() {
    Json data = Json::array();
    for (int i = 1; i <= 6; ++i) {
      std::string text;
      for (int w = 0; w < i * 10; ++w) text += "word" + std::to_string(i) + " ";
      data.push_back(
          {{"title", "same title"},
           {"paragraphs", {{{"context", text}, {"qas", {{{"question", "Q?"}, {"answers", {{{"text", "a"}}}}}}}}}}});
    }
    const path file = write("six.json", Json{{"data", data}}.dump());
    ImportOptions options;
    options.limit = 2;
    options.long_contexts.max_tokens = 45;
    options.long_contexts.count_tokens = [](std::string_view text) {
      return static_cast<std::size_t>(std::ranges::count(text, ' '));
    };
    ImportReport report;
    auto workload = import_workload({file}, "auto", options, &report);
    QVERIFY2(workload, workload ? "" : workload.error().message.c_str());
    QCOMPARE(workload->contexts.size(), std::size_t{2});
    QCOMPARE(report.entries.dropped.at("beyond the limit of contexts"), std::size_t{4});
    options.limit = 0;
    workload = import_workload({file}, "auto", options, &report);
    QCOMPARE(workload->contexts.size(), std::size_t{4});
    QCOMPARE(report.entries.dropped.at("longer than 45 tokens"), std::size_t{2});
    QVERIFY(report.entries.balanced() && report.contexts.balanced());
    std::set<std::string> ids;
    for (const WorkloadContext& context : workload->contexts) ids.insert(context.id);
    QCOMPARE(ids.size(), workload->contexts.size());
    options.long_contexts.max_tokens = 5;
    workload = import_workload({file}, "auto", options);
    QVERIFY(!workload && QString::fromStdString(workload.error().message).contains("6 longer than 5 tokens"));
  }

  void importedWorkloadsAreReadBack() {
    const path source = data_sets() / "xquad" / "xquad.zh.json";
    SKIP_WITHOUT(source);
    ImportOptions options;
    options.license = "CC BY-SA 4.0";
    const auto workload = import_workload({source}, "auto", options);
    QVERIFY(workload && write_workload(*workload, at("written")));
    const auto read = read_workload(at("written"));
    QVERIFY2(read, read ? "" : read.error().message.c_str());
    QCOMPARE(read->digest().hex(), workload->digest().hex());
    QCOMPARE(read->license, std::string("CC BY-SA 4.0"));
  }
};

KV_TEST_GUILESS_MAIN(ImportTest)

}  // namespace import_test

#include "import_test.moc"
