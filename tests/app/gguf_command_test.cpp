// links: kv_reports
// A GGUF file wherever the command line takes a model folder: described, checked, continued, counted with, and served.
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/files.h"
#include "core/base/json.h"
#include "tests/support/command_line.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace gguf_command_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

const std::filesystem::path models = shared_data() / "models";
const std::filesystem::path stories = models / "stories260K/stories260K.gguf";

}  // namespace

class GgufCommandTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::filesystem::path at(const char* name) const {
    return std::filesystem::path(folder_.path().toStdString()) / name;
  }

 private slots:
  void initTestCase() {
    if (!std::filesystem::exists(stories)) QSKIP("../shared/data/models is absent: a trained GGUF file is not served");
  }

  void itIsDescribed() {
    const Answer answer = call({"model", "info", text_of(stories), "--json"});
    QVERIFY2(answer.exit_code == 0, answer.text());
    const Json info = Json::parse(answer.out.toStdString());
    QCOMPARE(info.at("architecture"), "LlamaForCausalLM");
    QCOMPARE(info.at("parameters"), 260032 + 512 * 64);  // its output head is stored apart
    QCOMPARE(info.at("weights"), "fp32");
    const Json types = {{"F32", 48}};
    QCOMPARE(info.at("stored_types"), types);
    QCOMPARE(info.at("head_dim"), 8);
    QCOMPARE(info.at("kv_heads"), 4);
    QCOMPARE(info.at("max_positions"), 2048);
    QVERIFY(
        call({"model", "info", text_of(stories)}).out.contains(QRegularExpression("stored_types +\\{\"F32\":48\\}")));
  }

  void itIsChecked() {
    const Answer fine = call({"model", "check", text_of(stories)});
    QVERIFY2(fine.exit_code == 0 && fine.out.simplified().contains(": OK: LlamaForCausalLM"), fine.text());
    for (const QString& line : fine.out.split('\n')) QVERIFY2(line.size() <= 100, qPrintable(line));
    const std::string bytes = read_text_file(stories).value();
    QVERIFY(write_text_file(at("half.gguf"), bytes.substr(0, bytes.size() / 2)).has_value());
    const Answer half = call({"model", "check", text_of(at("half.gguf"))});
    QCOMPARE(half.exit_code, 3);
    QVERIFY2(half.error.contains("half.gguf: tensor '") &&
                 half.error.contains("it is truncated or damaged; fetch the file again"),
             half.text());
    const auto vocabulary = models / "llamacpp_vocab/ggml-vocab-llama-spm.gguf";
    const Answer no_model = call({"model", "check", text_of(vocabulary)});
    QCOMPARE(no_model.exit_code, 3);
    QVERIFY2(no_model.error.contains("tensor 'token_embd.weight' is missing, so the file holds no model; "),
             no_model.text());
  }

  void itContinuesAPrompt() {
    QVERIFY(write_text_file(at("prompt.txt"), "Once upon a time").has_value());
    const Answer answer = call({"model", "generate", text_of(stories), "--prompt-file", text_of(at("prompt.txt")),
                                "--max-tokens", "100", "--json"});
    QVERIFY2(answer.exit_code == 0, answer.text());
    const std::string story = "Once upon a time" + Json::parse(answer.out.toStdString()).at("text").get<std::string>();
    const std::string want = read_text_file(models / "expected/stories260K_greedy256_once.txt").value();
    QVERIFY2(story.size() > 150 && want.starts_with(story), story.c_str());
  }

  void aWorkloadIsServedWithIt() {
    QVERIFY(write_workload(small_workload(2, 12, 5), at("workload")));
    const Answer answer = call({"run", text_of(at("workload")), "--model", text_of(stories), "--store",
                                text_of(at("store")), "--policy", "lru", "--limit", "4", "--tier", "dram=64MiB"});
    QVERIFY2(answer.exit_code == 0, answer.text());
    const Answer absent = call({"run", text_of(at("workload")), "--model", text_of(at("no.gguf")), "--store",
                                text_of(at("store")), "--policy", "lru", "--tier", "dram=64MiB"});
    QCOMPARE(absent.exit_code, 3);
    QVERIFY2(
        absent.error.contains("no.gguf: no such model folder; give a Hugging Face folder or a GGUF file with --model"),
        absent.text());
  }
};

KV_TEST_GUILESS_MAIN(GgufCommandTest)

}  // namespace gguf_command_test

#include "gguf_command_test.moc"
