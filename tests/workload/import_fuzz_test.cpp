// links: kv_base
// Random damage to files of published data sets: imported into a workload that reads back as it was, or refused with
// file, reason and fix. KVANTAGE_FUZZ_EXECUTIONS and KVANTAGE_FUZZ_SEED as in trace_trace_fuzz_test.
#include <QTemporaryDir>
#include <QtTest>

#include "core/workload/datasets/import_workload.h"
#include "tests/support/damage.h"
#include "tests/support/refusals.h"
#include "tests/support/test_program.h"

namespace import_fuzz_test {

using namespace kvantage;
using namespace kvantage::test;
namespace fs = std::filesystem;

namespace {

struct Sample {
  const char *name, *format, *file, *text;
};
constexpr Sample samples[] = {
    {"longbench lines", "longbench", "hotpotqa.jsonl",
     R"({"input": "Who?", "context": "Ada wrote it.", "answers": ["Ada", "A. Holt"], "dataset": "hotpotqa", )"
     R"("_id": "x"})"
     "\n"
     R"({"input": "When?", "context": "Ada wrote it.", "answers": [], "dataset": "mine"})"
     "\n"},
    {"longbench prompts", "longbench", "own.json",
     R"({"0": {"origin_prompt": "A text.\n\nQ?", "gold": "g"}, "10": {"origin_prompt": "Another.\n\nQ?", )"
     R"("gold": {"answers": ["a"], "all_classes": ["a", "b"]}}})"},
    {"qmsum", "qmsum", "meetings.jsonl",
     R"({"meeting_transcripts": [{"speaker": "A", "content": "Hello."}, {"speaker": "B", "content": "No."}], )"
     R"("general_query_list": [{"query": "What?", "answer": "Little."}], "specific_query_list": [{"query": "Who?", )"
     R"("answer": "A."}]})"
     "\n"},
    {"squad", "squad", "squad2.json",
     R"({"version": "v2.0", "data": [{"title": "T", "paragraphs": [{"context": "Ada wrote it in 1843.", )"
     R"("qas": [{"id": "1", "question": "Who?", "is_impossible": false, "answers": [{"text": "Ada", )"
     R"("answer_start": 0}]}, {"id": "2", "question": "Where?", "is_impossible": true, "answers": []}]}]}]})"},
    {"leval", "leval", "exam.jsonl",
     R"({"instructions": ["Who?", "A or B?"], "outputs": ["Ada", "A"], "input": "Ada wrote it.", "source": "s", )"
     R"("evaluation": "exam"})"
     "\n"},
    {"longbench-v2", "longbench-v2", "data.json",
     R"([{"_id": "x", "domain": "D", "question": "Which?", "choice_A": "a", "choice_B": "b", "choice_C": "c", )"
     R"("choice_D": "d", "answer": "B", "context": "A text."}])"},
    {"lost in the middle", "lost-in-the-middle", "nq.jsonl",
     R"({"question": "Who?", "answers": ["Ada"], "ctxs": [{"title": "T", "text": "Ada wrote it.", "isgold": true}]})"
     "\n"
     R"({"ordered_kv_records": [["k", "v"], ["l", "w"]], "key": "k", "value": "v"})"
     "\n"},
    {"ruler", "ruler", "niah.jsonl",
     R"({"input": "A text of several words, for somebody.\nIt has a second line, too.\nWhat is it?", )"
     R"("outputs": ["1", "2"]})"
     "\n"
     R"({"input": "Another text of several words.\nIt has a second line, too.\nWhat is it?", "outputs": ["3"]})"
     "\n"},
    {"infinitebench", "infinitebench", "passkey.jsonl",
     R"({"id": 0, "context": "A text.", "input": "Which?", "answer": ["b"], "options": ["a", "b"]})"
     "\n"},
    {"scbench", "scbench", "scbench_kv.jsonl",
     R"({"id": 0, "context": "A text.", "multi_turns": [{"input": "k?", "answer": "v"}, {"input": "l?", )"
     R"("answer": ["w", "x"], "options": ["w", "y"]}]})"
     "\n"},
    {"bamboo", "bamboo", "meetingqa.jsonl",
     R"({"question": "Which?", "options": ["A. a", "B. b"], "answer": "A", "content": "A text."})"
     "\n"
     R"({"content": ["one", "two"], "answer": [1, 0]})"
     "\n"},
    {"generic", "generic", "own.jsonl",
     R"({"passage": "A text.", "questions": ["p?", "q?"], "answers": [["a", "b"], "c"], "id": 4})"
     "\n"},
    {"table", "generic", "own.csv", "context,question,answer\n\"A text,\nof two lines\",Who?,Ada\nAnother.,Why?,x\n"},
};

std::string text_of(const Workload& workload) {
  std::string all;
  for (const WorkloadContext& context : workload.contexts)
    all += context.id + "\x1e" + context.family + "\x1e" + context.text + "\x1d";
  for (const WorkloadQuestion& question : workload.questions) {
    all += std::to_string(question.context) + "\x1e" + question.question + "\x1e" + question.gold +
           (question.split == QuestionSplit::profile ? "p" : "h");
    for (const std::string& gold : question.other_golds) all += "\x1e" + gold;
    all += "\x1d";
  }
  return all;
}

}  // namespace

class ImportFuzzTest : public QObject {
  Q_OBJECT

 private slots:
  void damageIsReadOrRefused_data() {
    QTest::addColumn<int>("index");
    for (int i = 0; i < int(std::size(samples)); ++i) QTest::newRow(samples[i].name) << i;
  }
  void damageIsReadOrRefused() {
    QFETCH(int, index);
    const Sample& sample = samples[index];
    const QTemporaryDir folder(fs::exists("/dev/shm") ? "/dev/shm/kvantage-fuzz-XXXXXX"
                                                      : QDir::tempPath() + "/kvantage-fuzz-XXXXXX");
    const fs::path file = fs::path(folder.path().toStdString()) / sample.file,
                   workload = fs::path(folder.path().toStdString()) / "workload";
    const std::uint64_t executions = fuzz_executions(default_tries(20'000)),
                        seed = fuzz_number("KVANTAGE_FUZZ_SEED", 1);
    static const std::vector<std::string> own{
        "\"context\":", "\"input\":",     "\"data\":[]", "\"gold\":null", "\"answers\":[\"\"]",
        "\"a\\nb\"",    "\"title\":\"\"", "{\"0\":{}}",  "PAR1",          "\"choices\":[[]]"};
    Outcomes outcomes;
    for (std::uint64_t i = 0; i < executions; ++i) {
      Random random(derive_seed(seed, i));
      {
        std::ofstream stream(file, std::ios::binary | std::ios::trunc);
        stream << damaged(sample.text, random, own);
      }
      ImportOptions options;
      options.squad.whole_articles = random.below(2) == 0;
      options.limit = random.below(3);
      ImportReport report;
      const auto found = import_workload({file}, random.below(2) == 0 ? sample.format : "auto", options, &report);
      const auto told = [&](const std::string& what) {
        return std::string(sample.name) + ", try " + std::to_string(i) + ": " + what;
      };
      if (!found) {
        ++outcomes.refused;
        QVERIFY2(is_whole_refusal(found.error(), file.string()), told(found.error().message).c_str());
        continue;
      }
      ++outcomes.read;
      QVERIFY2(report.entries.balanced() && report.contexts.balanced() && !found->contexts.empty() &&
                   !found->questions.empty(),
               told("account open").c_str());
      if (outcomes.read % 8 != 0) continue;  // files take longer than all before
      const Status written = write_workload(*found, workload);
      QVERIFY2(written, told(written ? "" : written.error().message).c_str());
      const auto back = read_workload(workload);
      QVERIFY2(back, told(back ? "" : back.error().message).c_str());
      QVERIFY2(text_of(*back) == text_of(*found), told("reads back otherwise").c_str());
    }
    qInfo("%s: %llu read, %llu refused", sample.name, static_cast<unsigned long long>(outcomes.read),
          static_cast<unsigned long long>(outcomes.refused));
    QVERIFY(outcomes.mixed());
  }
};

KV_TEST_PROGRAM(argc, argv) {
  lift_time_limit_of_long_runs();
  QTEST_SET_MAIN_SOURCE_PATH
  ImportFuzzTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace import_fuzz_test

#include "import_fuzz_test.moc"
