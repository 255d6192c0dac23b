// links: kv_reports
// The examples of docs/own-text-and-import.md and docs/traces.md run as a shell runs them, in the order of the
// documents, on small files in the form that they name.
#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>

#include "core/base/files.h"
#include "core/base/json.h"
#include "tests/support/command_line.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"
#include "tests/trace/samples.h"

namespace import_examples_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// Sentences that occur once, so that probes can be made of them.
std::string story(int number, const char* end_of_line = " ") {
  std::string text;
  for (int i = 0; i < 12; ++i)
    text += "On day " + std::to_string(20 * number + i) + " Mara Holt paid " + std::to_string(300 + 7 * i + number) +
            " crowns to the mill of Orsay for flour." + end_of_line;
  return text;
}

/// Commands of the fenced blocks of a document, in their order.
QStringList commands_of(const char* document) {
  const auto text = read_text_file(std::filesystem::path(KVANTAGE_SOURCE_DIR) / "docs" / document);
  QStringList commands;
  bool inside = false;
  for (const QString& line : QString::fromStdString(text.value_or("")).split('\n')) {
    if (line.startsWith("```"))
      inside = line == "```sh";
    else if (inside && line.startsWith("kvantage-cli "))
      commands << line;
  }
  return commands;
}

}  // namespace

class ImportExamplesTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  void write(const char* name, const std::string& text) const {
    QVERIFY(write_text_file(folder_.filePath(name).toStdString(), text));
  }

 private slots:
  void initTestCase() {
    std::string traces, agents, hotpot, table = "body,asked,said\r\n";
    for (std::uint64_t i = 0; i < 12; ++i) {
      traces += mooncake_line(i * 500, 1024, std::to_string(i % 5) + ", 7");
      agents += agent_line(i * 1'000'000, story(static_cast<int>(i % 3)) + "\\n\\nWhat did Mara Holt pay for, item " +
                                              std::to_string(i) + "?");
    }
    for (int i = 0; i < 3; ++i) {
      hotpot += dump_json(Json{{"context", story(i)},
                               {"input", "Who paid on day " + std::to_string(20 * i) + "?"},
                               {"answers", {"Mara Holt"}},
                               {"dataset", "hotpotqa"}}) +
                "\n";
      table += "\"" + story(i, "\n") + "\",Who paid?,Mara Holt\r\n";
    }
    write("conversation_trace.jsonl", traces);
    write("session.jsonl", agents);
    write("AzureLLMInferenceTrace_conv.csv", samples().at("azure"));
    write("own.csv", "when,prompt,answer,user\n1000,512,3,a\n2500,64,1,b\n");
    write("twitter.csv", "0,q:1:8WTfjZU,17,213,4,get,0\n1,yDqF:3q:1A,17,4096,4,get,0\n1,q:1:8WTfjZU,17,213,9,get,0\n");
    write("hotpotqa.jsonl", hotpot);
    write("table.csv", table);
    const auto exam = read_text_file(std::filesystem::path(KVANTAGE_SOURCE_DIR) / "tests/goldens/formats/sci_fi.jsonl");
    write("sci_fi.jsonl", exam.value_or(""));
  }

  void everyExampleRuns_data() {
    QTest::addColumn<QString>("line");
    const QStringList lines = commands_of("own-text-and-import.md") + commands_of("traces.md");
    QVERIFY(lines.size() >= 9);
    for (const QString& line : lines) QTest::newRow(qPrintable(line)) << line;
  }
  void everyExampleRuns() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    QFETCH(QString, line);
    const Answer answer =
        call_words({"env", "-C", folder_.path(), "KVANTAGE_CACHE=" + folder_.filePath("cache"),
                    "PATH=" KVANTAGE_BINARY_DIR "/app:" + qEnvironmentVariable("PATH"), "sh", "-c", line});
    QVERIFY2(answer.exit_code == 0 && !answer.out.isEmpty(), answer.text());
    QVERIFY2(!answer.error.contains("error: "), answer.text());
    const QStringList words = QProcess::splitCommand(line);
    if (const qsizetype at = words.indexOf("--out"); at > 0)
      QVERIFY2(QFileInfo::exists(folder_.filePath(words[at + 1] + "/workload.json")), answer.text());
  }

  // "A session on the folder needs no more options".
  void anImportedWorkloadRunsWithoutTiers() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    const QStringList run{"run",        folder_.filePath("hotpotqa"),
                          "--model",    text_of(model_directory()),
                          "--store",    folder_.filePath("store"),
                          "--policy",   "lru",
                          "--limit",    "2",
                          "--no-warmup"};
    const Answer answer = call(run);
    QVERIFY2(answer.exit_code == 0, answer.text());
    QVERIFY2(answer.error.contains(QRegularExpression("no tiers are given: --tier dram=\\d+KiB --tier ssd=\\d+KiB")),
             answer.text());
  }

  // What the model cannot serve is said by the import and by the check, and each remedy is counted.
  void longContextsAreSaid() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    std::string text;
    for (int i = 0; i < 400; ++i) text += story(i);
    const std::string line =
        dump_json(Json{{"context", text}, {"question", "Who paid on day 7991?"}, {"answer", "Mara Holt"}});
    write("long.jsonl", line);
    const QString out = folder_.filePath("long");
    const QStringList import{"workload", "import", folder_.filePath("long.jsonl"), "--probes", "1", "--out"};
    const Answer kept = call(import + QStringList{out});
    QVERIFY2(kept.exit_code == 0 && kept.out.contains("1 context too long") && kept.out.contains("1 kept: "),
             kept.text());
    const Answer checked = call({"workload", "check", out});
    QVERIFY2(checked.exit_code == 0 && checked.out.contains("1 of 1 context is longer than the model serves"),
             checked.text());
    const Answer split = call(import + QStringList{out + "-split", "--split"});
    // Only one of the parts is asked about; how many there are is up to the model's tokenizer.
    static const QRegularExpression counts(
        "texts: 1 read, 1 of them split into (\\d+) parts \\((\\d+) without a question, dropped\\); 1 imported\n");
    const auto parts = counts.match(split.out);
    QVERIFY2(split.exit_code == 0 && parts.hasMatch(), split.text());
    QVERIFY2(parts.captured(1).toInt() > 1, split.text());
    QCOMPARE(parts.captured(2).toInt(), parts.captured(1).toInt() - 1);
    QVERIFY2(split.out.contains(", 1 split into parts, which overlap by 128 tokens\n"), split.text());
    const Answer part = call({"workload", "check", out + "-split"});
    QVERIFY2(part.exit_code == 0 && !part.out.contains("longer than the model serves"), part.text());
    const Answer cut = call(import + QStringList{out + "-cut", "--truncate", "middle"});
    QVERIFY2(cut.exit_code == 0 && cut.out.contains("1 cut in the middle"), cut.text());
    const Answer short_enough = call({"workload", "check", out + "-cut"});
    QVERIFY2(short_enough.exit_code == 0 && !short_enough.out.contains("longer than the model serves"),
             short_enough.text());
    const Answer skipped = call(import + QStringList{out + "-skipped", "--skip"});
    QVERIFY2(skipped.exit_code == 3 && skipped.error.contains("1 longer than the model serves"), skipped.text());
  }
};

KV_TEST_GUILESS_MAIN(ImportExamplesTest)

}  // namespace import_examples_test

#include "import_examples_test.moc"
