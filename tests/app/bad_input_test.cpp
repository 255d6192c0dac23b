// links: kv_reports profiles kv_cli_program
// What a user may get wrong, through the real command line: exit code 2 or 3, one line that names what, why and the
// mend, and nothing that was stored before is touched. What tests of tiers, policies and settings say of single words
// is not said again.
#include <sys/resource.h>
#include <unistd.h>

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/digest.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "profiles/stores.h"
#include "tests/support/command_line.h"
#include "tests/support/forked_command_line.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace bad_input_test {

using namespace kvantage;
using namespace kvantage::test;
using std::filesystem::path;

namespace {

void write(const path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  if (!write_text_file(file, text)) qFatal("cannot write %s", file.c_str());
}

std::string read(const path& file) { return read_text_file(file).value(); }

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

// Every stored byte but what a database and a lock may write when they are only opened.
std::map<std::string, std::string> fingerprint(const path& store) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(store))
    if (entry.is_regular_file() && entry.path().filename().string().find("kvantage.db") == std::string::npos &&
        entry.path().extension() != ".lock")
      files[entry.path().string()] = digest_of(read(entry.path())).hex();
  const auto stores = open_stores(store / "kvantage.db", StoreAccess::read_only);
  if (!stores) qFatal("%s", stores.error().message.c_str());
  const auto runs = (*stores)->runs().runs();
  for (const RunSummary& run : runs.value()) {
    std::string journal = run.outcome;
    const auto events = (*stores)->runs().events(run.run_id);
    for (const Event& event : events.value()) journal += to_json(event).dump();
    files[run.run_id] = digest_of(journal).hex();
  }
  return files;
}

}  // namespace

class BadInputTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::map<std::string, std::string> before_;

  path at(const std::string& name) const { return path(folder_.path().toStdString()) / name; }
  QString text(const std::string& name) const { return text_of(at(name)); }

  /// A copy of the good model or workload, to be spoiled.
  path copy_of(const path& from, const std::string& name) const {
    std::filesystem::create_directories(at(name).parent_path());
    std::filesystem::copy(from, at(name), std::filesystem::copy_options::recursive);
    std::filesystem::permissions(at(name), std::filesystem::perms::owner_all);
    for (const auto& entry : std::filesystem::directory_iterator(at(name)))
      std::filesystem::permissions(entry.path(), std::filesystem::perms::owner_all);
    return at(name);
  }

  QStringList run(const QStringList& rest, const QString& workload = {}, const QString& model = {}) const {
    QStringList words{"run",     workload.isEmpty() ? text("workload") : workload,
                      "--model", model.isEmpty() ? text("model") : model,
                      "--store", text("store")};
    if (!rest.contains("--policy"))
      words << "--policy"
            << "lru";
    if (!rest.contains("--limit"))
      words << "--limit"
            << "2";
    if (!rest.contains("--tier"))
      words << "--tier"
            << "dram=64MiB";
    return words + rest;
  }

  void expect(Answer answer, int exit_code, const QStringList& parts) {
    answer.error.remove(QRegularExpression("^Loading the model\n"));  // said where that takes a while
    QVERIFY2(answer.exit_code == exit_code, answer.text());
    QVERIFY2(answer.error_lines().size() == 1 && answer.error.endsWith('\n'), answer.text());
    QVERIFY2(answer.error.startsWith("error: "), answer.text());
    for (const QString& part : parts) QVERIFY2(answer.error.contains(part), qPrintable(part + "\n" + answer.text()));
    QVERIFY2(answer.error.contains(QRegularExpression("; |\\?|give a ")), answer.text());  // what to do about it
    QVERIFY2(answer.out.isEmpty(), answer.text());
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    copy_of(model_directory(), "model");
    QVERIFY(write_workload(small_workload(2, 16, 5), at("workload")));
    const Answer answer = call(run({"--tier", "dram=1MiB", "--tier", "ssd=64MiB"}));
    QVERIFY2(answer.exit_code == 0, answer.text());
    before_ = fingerprint(at("store"));
    QVERIFY(before_.size() >= 3);  // two originals, a run
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

  void wordsThatAreRefused_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QStringList>("parts");
    if (before_.empty()) return;
    const auto row = [](const char* name, const QStringList& words, const QStringList& parts) {
      QTest::newRow(name) << words << parts;
    };
    row("nothing", {}, {"subcommand", "kvantage-cli --help"});
    row("unknown subcommand", {"rum"}, {"'rum'", "did you mean 'run'?"});
    row("half a subcommand", {"model"}, {"subcommand", "kvantage-cli model --help"});
    row("no workload", {"run"}, {"workload", "kvantage-cli run --help"});
    row("unknown option", run({"--polcy", "lru"}), {"--polcy", "kvantage-cli run --help"});
    row("option without value", run({"--alpha"}), {"--alpha"});
    row("unknown policy", run({"--policy", "lruu"}), {"'lruu'", "did you mean 'lru'?"});
    row("second policy unknown", run({"--policy", "lru,evicpres"}), {"'evicpres'", "did you mean 'evicpress'?"});
    row("unknown method in a policy", run({"--policy", "fixed(snapkw,0.5)"}), {"'snapkw'", "did you mean 'snapkv'?"});
    row("no policy", run({"--policy", ","}), {"--policy"});
    row("no method", run({"--methods", ""}), {"--methods", "leave it out"});
    row("no removed fraction", run({"--removed", ""}), {"--removed", "leave it out"});
    row("unknown method", run({"--methods", "knormm"}), {"'knormm'", "did you mean 'knorm'?"});
    row("method parameter", run({"--methods", "snapkv(window=-1)"}), {"window"});
    row("fraction above 1", run({"--removed", "0.5,1.5"}), {"--removed: '1.5'", "below 1; write it"});
    row("fraction not a number", run({"--removed", "half"}), {"--removed", "'half'"});
    row("unknown metric", run({"--quality-metric", "bleu"}), {"'bleu'", "token_f1"});
    row("negative alpha", run({"--alpha", "-1"}), {"alpha"});
    row("negative limit", run({"--limit", "-1"}), {"--limit"});
    row("limit of zero", run({"--limit", "0"}), {"--limit"});
    row("negative threads", run({"--threads", "-1"}), {"--threads", "'-1'"});
    row("negative seed", run({"--seed", "-1"}), {"--seed", "'-1'"});
    row("negative budget", run({"--tier", "dram=-5MiB"}), {"dram=-5MiB", "negative"});
    row("budget below zero", run({"--tier", "dram=-5"}),
        {"tier 'dram=-5': size '-5' is negative; give one like 64MiB"});
    row("tier twice", run({"--tier", "dram=5MiB", "--tier", "dram=6MiB"}), {"'dram'", "twice"});
    row("tier outside the store", run({"--tier", "../x=5MiB"}), {"../x"});
    row("unknown fault", run({"--tier", "ssd=5MiB,faults=torn_writes:0.1"}),
        {"torn_writes", "did you mean 'torn_write'?"});
    row("fault too probable", run({"--tier", "ssd=5MiB,faults=read_error:2"}), {"read_error:2", "write it like 0.01"});
    row("faults of host memory", run({"--tier", "dram=5MiB,faults=read_error:0.1"}),
        {"host memory has none; give them to a tier in a folder"});
    row("faults of a server", run({"--tier", "pool=5MiB,url=redis://h:1,faults=read_error:0.1"}),
        {"a remote store has none; give them"});
    row("two tiers on one server", run({"--tier", "a=5MiB,url=redis://h:1", "--tier", "b=5MiB,url=redis://h:1/0"}),
        {"'b'", "and so is 'a'", "give each a prefix"});
    row("two tiers in one folder", run({"--tier", "a=5MiB,path=/tmp/kv", "--tier", "b=5MiB,path=/tmp/../tmp/kv"}),
        {"'b'", "and so is 'a'", "give each a folder"});
    row("archive with a budget", run({"--tier", "dram=5MiB", "--tier", "archive=5MiB"}),
        {"'archive'", "no budget", "archive=unlimited"});
    row("archive alone", run({"--tier", "archive=unlimited"}), {"no tier is given"});
    row("throttled archive", run({"--tier", "dram=5MiB", "--tier", "archive=unlimited,latency=1ms"}),
        {"'archive'", "throttling"});
    row("archive twice", run({"--tier", "dram=5MiB", "--tier", "archive=unlimited", "--tier", "archive=unlimited"}),
        {"'archive'", "twice"});
    row("no such family", {"workload", "make", "--out", text("made"), "--families", "poem"}, {"'poem'", "registry"});
    row("negative contexts", {"workload", "make", "--out", text("made"), "--contexts-per-family", "-1"}, {"'-1'"});
    row("backward lengths", {"workload", "make", "--out", text("made"), "--min-tokens", "900", "--max-tokens", "800"},
        {"tokens"});
    row("report format", {"report", "--db", text("store/kvantage.db"), "--format", "docx"}, {"'docx'", "html, json"});
  }
  void wordsThatAreRefused() {
    QFETCH(QStringList, words);
    QFETCH(QStringList, parts);
    expect(call_forked(words), 2, parts);
    QVERIFY(!std::filesystem::exists(at("made")));
  }

  // A file where a folder should be cannot be written to even by root.
  void foldersThatCannotBeWritten_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QStringList>("parts");
    if (before_.empty()) return;
    const QString file = text("model/config.json");
    const auto row = [](const char* name, const QStringList& words, const QStringList& parts) {
      QTest::newRow(name) << words << parts;
    };
    row("store", {"run", text("workload"), "--model", text("model"), "--tier", "dram=5MiB", "--store", file},
        {file, "writable"});
    row("store in /proc",
        {"run", text("workload"), "--model", text("model"), "--tier", "dram=5MiB", "--store", "/proc/kvantage"},
        {"/proc/kvantage", "writable"});
    row("tier", run({"--tier", "ssd=5MiB,path=" + file}), {"tier ssd", file});
    for (const auto& folder :
         std::filesystem::directory_iterator(at("store")))  // tiers of a model and workload go by its name
      if (folder.is_directory())
        std::filesystem::create_directories(at("tiers") / folder.path().filename() / "index.sqlite");
    row("index of a tier is a folder", run({"--tier", "ssd=5MiB,path=" + text("tiers")}),
        {text("tiers"), "index.sqlite", "; move it away"});
    row("database in a file", run({"--db", file + "/runs.db"}), {file, "--db"});
    row("database is a folder", run({"--db", text("model")}), {text("model")});
    row("database is something else", run({"--db", file}), {file, "--db"});
    row("report", run({"--report-dir", file}), {file, "writable"});
    row("workload", {"workload", "make", "--out", file + "/made"}, {file, "writable"});
    row("profile",
        {"profile", text("workload"), "--model", text("model"), "--tier", "dram=5MiB", "--store", text("store"),
         "--export", file + "/x.json"},
        {file});
    row("logits", {"model", "logits", text("model"), "--tokens", text("tokens.json"), "--out", file + "/x.npy"},
        {file, "writable"});
    row("training", {"model", "train", "--out", file, "--steps", "1"}, {file, "writable"});
    row("report of a run", {"report", "--db", text("store/kvantage.db"), "--out", file}, {file, "writable"});
    write(at("tokens.json"), "[5, 6, 7]");
  }
  void foldersThatCannotBeWritten() {
    QFETCH(QStringList, words);
    QFETCH(QStringList, parts);
    expect(call_forked(words), 3, parts);
  }

  // What is fetched at set-up may not be there.
  void aMetricWithoutItsWeightsIsRefused() {
    const QStringList broken_model{"env", "KVANTAGE_EMBEDDING_MODEL=" + text("no embeddings")};
    expect(call(run({"--quality-metric", "cosine"}), broken_model), 3,
           {"'cosine'", text("no embeddings"), "./run build"});
    const std::filesystem::path torn = at("torn embeddings");
    write(torn / "model.safetensors", "no weights");
    write(torn / "vocab.txt", "[UNK]\n");
    expect(call(run({"--quality-metric", "cosine"}), {"env", "KVANTAGE_EMBEDDING_MODEL=" + text("torn embeddings")}), 3,
           {text("torn embeddings")});
  }

  void compressionCommandsRefuseWhatMakesNoSense_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<int>("code");
    QTest::addColumn<QStringList>("parts");
    if (before_.empty()) return;
    write(at("a text"), "Mara Holt paid 372 to Ada Quill.");
    const QStringList kept{"kept", "--model", text("model"), "--text-file", text("a text")};
    const auto row = [&](const char* name, const QStringList& words, int code, const QStringList& parts) {
      QTest::newRow(name) << words << code << parts;
    };
    row("kept without a context", {"kept", "--model", text("model")}, 2, {"--text-file"});
    row("kept of no file", {"kept", "--model", text("model"), "--text-file", text("no such text")}, 3,
        {text("no such text")});
    row("kept without a model", {"kept", "--model", text("no such model"), "--text-file", text("a text")}, 3,
        {text("no such model")});
    row("everything removed", kept + QStringList{"--removed", "1"}, 2, {"from 0 to below 1"});
    row("a budget alone", kept + QStringList{"--method", "adakv"}, 2, {"'adakv'", "adakv(snapkv)"});
    row("a budget in a budget", kept + QStringList{"--method", "adakv(global(snapkv))"}, 2,
        {"one budget around one scorer"});
    row("re-rotated heads of different lengths", kept + QStringList{"--method", "rerotate(adakv(snapkv))"}, 2,
        {"the same number of tokens"});
    row("an unknown codec", kept + QStringList{"--method", "snapkv+kivi5"}, 2, {"'kivi5'", "did you mean"});
    row("nothing behind a plus", kept + QStringList{"--method", "snapkv+"}, 2, {"'+'"});
    row("a word for a number", kept + QStringList{"--method", "expected_attention(epsilon=x)"}, 2, {"epsilon=x"});
    row("an unknown figure", {"reproduce", "pagedeviction/fig9"}, 2, {"pagedeviction/fig9", "pagedeviction/fig2"});
    row("an unknown eviction method", {"reproduce", "decode", "--eviction-methods", "h20"}, 2, {"'h20'", "'h2o'"});
  }
  void compressionCommandsRefuseWhatMakesNoSense() {
    QFETCH(QStringList, words);
    QFETCH(int, code);
    QFETCH(QStringList, parts);
    expect(call_forked(words), code, parts);
  }

  void readOnlyFoldersAreRefused_data() {
    QTest::addColumn<QStringList>("words");
    if (before_.empty()) return;
    const QString folder = text("read only");
    const QStringList session{"--model", text("model"), "--tier", "dram=5MiB", "--policy", "lru", "--limit", "1"};
    QTest::newRow("store") << QStringList{"run", text("workload"), "--store", folder} + session;
    QTest::newRow("new folder in it") << QStringList{"run", text("workload"), "--store", folder + "/new"} + session;
    QTest::newRow("tier") << QStringList{"run",         text("workload"), "--store",
                                         text("store"), "--tier",         "ssd=5MiB,path=" + folder} +
                                 session;
    QTest::newRow("report") << QStringList{"run", text("workload"), "--store", text("store"), "--report-dir", folder} +
                                   session;
    QTest::newRow("workload") << QStringList{"workload", "make", "--out", folder};
  }
  void readOnlyFoldersAreRefused() {
    QFETCH(QStringList, words);
    QStringList wrapper;
    if (::geteuid() == 0) {  // root may write anywhere: without this right it is like everybody else
      wrapper = {"setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"};
      QProcess trial;
      trial.start("setpriv", wrapper.mid(1) + QStringList{"true"});
      if (!trial.waitForFinished() || trial.exitCode() != 0) QSKIP("setpriv is not to be had here");
    }
    std::filesystem::create_directories(at("read only"));
    std::filesystem::permissions(at("read only"), std::filesystem::perms(0555));
    expect(call(words, wrapper), 3, {text("read only"), "writable"});
    QVERIFY(std::filesystem::is_empty(at("read only")));
  }
};

KV_TEST_GUILESS_MAIN(BadInputTest)

}  // namespace bad_input_test

#include "bad_input_test.moc"
