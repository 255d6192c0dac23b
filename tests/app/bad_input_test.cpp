// links: kv_reports profiles kv_cli_program
// Models, workloads and session files that a user may get wrong: exit code 3, one line that names what, why and the
// fix, and nothing that was stored before is touched. What tests of tiers, policies and settings say of single words
// is not said again.
#include <sys/resource.h>

#include "core/base/json.h"
#include "tests/app/refused_commands.h"
#include "tests/support/forked_command_line.h"
#include "tests/support/test_program.h"

namespace bad_input_test {

using namespace kvantage;
using namespace kvantage::test;
using std::filesystem::path;

namespace {

std::string with_header_length(std::string bytes, std::uint64_t length) {
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(length >> (8 * i) & 0xff);
  return bytes;
}

// A checkpoint of 1.5 TB as a sparse file: everything about it is true but the patience of the machine.
void write_giant(const path& folder) {
  constexpr std::uint64_t hidden = 16384, intermediate = 65536, layers = 200, kv = 1024;
  Json config = Json::parse(read(folder / "config.json"));
  config.update({{"hidden_size", hidden},
                 {"intermediate_size", intermediate},
                 {"num_hidden_layers", layers},
                 {"num_attention_heads", 128},
                 {"num_key_value_heads", 8},
                 {"head_dim", 128}});
  write(folder / "config.json", config.dump());
  const std::uint64_t vocabulary = config.at("vocab_size").get<std::uint64_t>();
  Json header = Json::object();
  std::uint64_t end = 0;
  const auto tensor = [&](const std::string& name, std::vector<std::uint64_t> shape) {
    std::uint64_t bytes = 2;
    for (const std::uint64_t extent : shape) bytes *= extent;
    header[name] = {{"dtype", "BF16"}, {"shape", shape}, {"data_offsets", {end, end + bytes}}};
    end += bytes;
  };
  tensor("model.embed_tokens.weight", {vocabulary, hidden});
  tensor("model.norm.weight", {hidden});
  for (std::uint64_t i = 0; i < layers; ++i) {
    const std::string layer = "model.layers." + std::to_string(i) + ".";
    tensor(layer + "input_layernorm.weight", {hidden});
    tensor(layer + "post_attention_layernorm.weight", {hidden});
    for (const auto& [name, rows] : {std::pair{"q", hidden}, {"k", kv}, {"v", kv}}) {
      tensor(layer + "self_attn." + name + "_proj.weight", {rows, hidden});
      tensor(layer + "self_attn." + name + "_proj.bias", {rows});
    }
    tensor(layer + "self_attn.o_proj.weight", {hidden, hidden});
    tensor(layer + "mlp.gate_proj.weight", {intermediate, hidden});
    tensor(layer + "mlp.up_proj.weight", {intermediate, hidden});
    tensor(layer + "mlp.down_proj.weight", {hidden, intermediate});
  }
  const std::string text = header.dump();
  write(folder / "model.safetensors", with_header_length(std::string(8, '\0') + text, text.size()));
  std::filesystem::resize_file(folder / "model.safetensors", 8 + text.size() + end);
}

}  // namespace

class BadInputTest : public QObject, protected RefusedCommands {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    serve_a_run();
  }

  void cleanup() {
    if (!before_.empty()) QVERIFY(fingerprint(at("store")) == before_);
  }

  void modelsThatCannotBeServed_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QStringList>("parts");
    if (before_.empty()) return;
    const path good = at("model");
    const std::string weights = read(good / "model.safetensors");
    const auto row = [&](const char* name, const std::function<void(const path&)>& spoil, const QStringList& parts) {
      const path folder = copy_of(good, std::string("models/") + name);
      spoil(folder);
      QTest::newRow(name) << text_of(folder) << parts;
    };
    row("truncated weights",
        [&](const path& f) { write(f / "model.safetensors", weights.substr(0, weights.size() / 2)); },
        {"model.safetensors", "truncated", "fetch the file again"});
    row("header longer than the file",
        [&](const path& f) { write(f / "model.safetensors", with_header_length(weights, weights.size())); },
        {"model.safetensors", "the header claims", "it is truncated"});
    row("header shorter than it is",
        [&](const path& f) { write(f / "model.safetensors", with_header_length(weights, 100)); },
        {"model.safetensors", "header"});
    row("header of 2^63 bytes",
        [&](const path& f) { write(f / "model.safetensors", with_header_length(weights, std::uint64_t{1} << 63)); },
        {"model.safetensors", "the header claims"});
    row("tokenizer of unknown type",
        [](const path& f) {
          Json tokenizer = Json::parse(read(f / "tokenizer.json"));
          tokenizer["model"]["type"] = "Morse";
          write(f / "tokenizer.json", tokenizer.dump());
        },
        {"tokenizer.json", "Morse"});
    row("config is no JSON", [](const path& f) { write(f / "config.json", "{\"hidden_size\":"); },
        {"config.json", "not valid JSON"});
    row("larger than memory", write_giant, {"larger than memory", "memory", "choose a smaller model"});
    row("empty folder",
        [](const path& f) {
          std::filesystem::remove_all(f);
          std::filesystem::create_directories(f);
        },
        {"empty folder"});
    QTest::newRow("no folder") << text("models/nowhere") << QStringList{"nowhere"};
    QTest::newRow("a file") << text("model/config.json") << QStringList{"config.json"};
  }
  void modelsThatCannotBeServed() {
    QFETCH(QString, model);
    QFETCH(QStringList, parts);
    const bool by_check =
        QString(QTest::currentDataTag()).contains(QRegularExpression("^(header|empty|no folder|config)"));
    expect(by_check ? call_forked({"model", "check", model}) : call_forked(run({}, {}, model)), 3, parts);
    // Refused by its sizes: no child of ours ever held more than the small model and the engine need.
    rusage usage{};
    ::getrusage(RUSAGE_CHILDREN, &usage);
    QVERIFY2(usage.ru_maxrss < 4L << 20, "KiB");
  }

  void workloadsThatAreRefused_data() {
    QTest::addColumn<QString>("workload");
    QTest::addColumn<int>("exit_code");
    QTest::addColumn<QStringList>("parts");
    if (before_.empty()) return;
    const auto row = [&](const char* name, const std::function<void(const path&)>& spoil, const QStringList& parts,
                         int code = 3) {
      const path folder = copy_of(at("workload"), std::string("workloads/") + name);
      spoil(folder);
      QTest::newRow(name) << text_of(folder) << code << parts;
    };
    const auto change = [](const char* file, const char* key, const Json& value) {
      return [=](const path& folder) {
        Json json = Json::parse(read(folder / file));
        json[key] = value;
        write(folder / file, json.dump());
      };
    };
    const auto add_line = [](const char* file, const char* line) {
      return [=](const path& folder) { write(folder / file, read(folder / file) + line + "\n"); };
    };
    row("unknown field", change("workload.json", "licenze", "x"),
        {"workload.json", "'licenze'", "did you mean 'licence'?"});
    row("unknown field of a context", add_line("contexts.jsonl", R"({"id":"x","text":"y","txet":"z"})"),
        {"contexts.jsonl:3", "'txet'"});
    const std::string x(100'000, 'x');
    row("field of any length", change("workload.json", x.c_str(), 1), {"workload.json", "unknown field 'xxx"});
    row("context of any length",
        add_line("questions.jsonl", (R"({"context":")" + x + R"(","question":"Q ?","gold":"g"})").c_str()),
        {"questions.jsonl", "xxx"});
    row("unknown field with a line feed", change("workload.json", "a\nb", 1), {"workload.json", "'a\\nb'"});
    row("question about nothing", add_line("questions.jsonl", R"({"context":"c77","question":"Q ?","gold":"g"})"),
        {"questions.jsonl", "'c77'"});
    row("id given twice", add_line("contexts.jsonl", R"({"id":"c1","text":"again"})"),
        {"contexts.jsonl:3", "'c1'", "twice"});
    row("negative seed", change("workload.json", "seed", -4), {"workload.json", "'seed'"});
    const auto lines = [](const char* text) {
      return [=](const path& folder) { write(folder / "workload.json", text); };
    };
    row("line of a field",
        lines("{\n \"format\": \"kvantage-workload\",\n \"version\": 1,\n \"name\": \"n\",\n \"seed\": -4\n}\n"),
        {"workload.json:5: ", "'seed'"});
    row("line of a field within others",
        lines("{\"format\": \"kvantage-workload\", \"version\": 1, \"name\": \"n\",\n \"arrivals\": {\n  \"requests\": "
              "3,\n  \"zipf_exponent\": 11}}\n"),
        {"workload.json:4: ", "'zipf_exponent'"});
    row("line of an unknown field",
        lines("{\"format\": \"kvantage-workload\", \"version\": 1, \"name\": \"n\",\n \"licenze\": \"x\",\n "
              "\"licence\": \"y\"}\n"),
        {"workload.json:2: ", "'licenze'"});
    row("not JSON", [](const path& f) { write(f / "contexts.jsonl", "{\n"); }, {"contexts.jsonl:1", "not valid JSON"});
    row("another format", change("workload.json", "version", 99), {"workload.json", "99"});
    row("no questions file", [](const path& f) { std::filesystem::remove(f / "questions.jsonl"); },
        {"questions.jsonl"});
    QTest::newRow("no folder") << text("workloads/nowhere") << 3 << QStringList{"nowhere", "workload.json"};
    QTest::newRow("a file") << text("workload/workload.json") << 3 << QStringList{"not a workload folder"};
  }
  void workloadsThatAreRefused() {
    QFETCH(QString, workload);
    QFETCH(int, exit_code);
    QFETCH(QStringList, parts);
    expect(call_forked({"workload", "check", workload}), exit_code, parts);
    if (QString(QTest::currentDataTag()).contains(QRegularExpression("^(unknown field|no folder|no questions)")))
      expect(call_forked(run({}, workload)), exit_code, parts);
  }

  void sessionFilesThatAreRefused_data() {
    QTest::addColumn<QString>("session");
    QTest::addColumn<QStringList>("parts");
    const auto row = [](const char* name, const char* session, const QStringList& parts) {
      QTest::newRow(name) << QString(session) << parts;
    };
    row("not JSON", "{\"policy\": \"lru", {"session.json", "not valid JSON"});
    row("a list", "[]", {"session.json", "expected an object"});
    row("unknown field", R"({"polizy": "lru"})", {"session.json", "'polizy'", "did you mean 'policy'?"});
    row("negative budget", R"({"tiers": [{"name": "dram", "budget_bytes": -5}]})",
        {"session.json", "budget_bytes", "-5"});
    row("budget as text", R"({"tiers": [{"name": "dram", "budget_bytes": "64MiB"}]})",
        {"session.json", "budget_bytes"});
    row("tier outside the store", R"({"tiers": [{"name": "../../out", "budget_bytes": 5}]})", {"../../out"});
    row("unknown fault", R"({"tiers": [{"name": "ssd", "budget_bytes": 5, "faults": "meteorite:1"}]})",
        {"tiers: ssd: faults: 'meteorite:1'", "known are flip_on_read"});
    row("faults of host memory", R"({"tiers": [{"name": "dram", "budget_bytes": 5, "faults": "read_error:1"}]})",
        {"tiers: dram: faults apply to files"});
    row("no budget", R"({"tiers": [{"name": "dram", "budget_bytes": 0}]})", {"'dram' has no budget"});
    const QByteArray x(100'000, 'x');
    row("policy of any length", "{\"policy\": \"" + x + "\", \"tiers\": [{\"name\": \"dram\", \"budget_bytes\": 5}]}",
        {"session.json", "policy: 'xxx", "; shorten it"});
    row("unknown metric",
        R"({"policy": "lru", "tiers": [{"name": "dram", "budget_bytes": 5}], "quality_metric": "f2"})", {"f2"});
    row("no tiers", R"({"tiers": []})", {"no tier is given", "--tier"});
    row("absurd limit", R"({"tiers": [{"name": "dram", "budget_bytes": 5}], "request_limit": 99999999999})",
        {"request_limit"});
  }
  void sessionFilesThatAreRefused() {
    QFETCH(QString, session);
    QFETCH(QStringList, parts);
    const path folder = copy_of(at("workload"), "session workload");
    write(folder / "session.json", session.toStdString());
    if (!parts.contains("no tier is given")) expect(call_forked({"workload", "check", text_of(folder)}), 3, parts);
    const Answer answer =
        call_forked({"run", text_of(folder), "--model", text("model"), "--store", text("store"), "--policy", "lru"});
    std::filesystem::remove_all(folder);
    expect(answer, answer.exit_code == 2 ? 2 : 3, parts);
  }

  void aCheckedWorkloadHasAPolicyThatIsKnown() {
    const path folder = copy_of(at("workload"), "checked workload");
    write(folder / "session.json", R"({"policy": "lur", "tiers": [{"name": "dram", "budget_bytes": 5}]})");
    expect(call_forked({"workload", "check", text_of(folder)}), 3, {"session.json", "'lur'"});
    write(folder / "session.json", R"({"policy": "lru"})");  // tiers may come from the command line
    QCOMPARE(call_forked({"workload", "check", text_of(folder)}).exit_code, 0);
    std::filesystem::remove_all(folder);
  }
};

KV_TEST_GUILESS_MAIN(BadInputTest)

}  // namespace bad_input_test

#include "bad_input_test.moc"
