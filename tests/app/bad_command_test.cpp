// links: kv_reports profiles kv_cli_program
// Command lines that a user may get wrong, and folders that cannot be written: exit code 2 or 3, one line that names
// what, why and the fix, and nothing that was stored before is touched.
#include <unistd.h>

#include "tests/app/refused_commands.h"
#include "tests/support/forked_command_line.h"
#include "tests/support/test_program.h"

namespace bad_command_test {

using namespace kvantage;
using namespace kvantage::test;

class BadCommandTest : public QObject, protected RefusedCommands {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    serve_a_run();
  }

  void cleanup() {
    if (!before_.empty()) QVERIFY(fingerprint(at("store")) == before_);
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
    const QString x(60'000, 'x');
    row("policy of any length", run({"--policy", x}), {"error: unknown policy 'xxx", "x'; choose one of full_prefill"});
    row("method of any length", run({"--methods", x}),
        {"error: unknown method 'xxx", "x'; choose one of none, random, knorm, ",
         ", kvzip, or see kvantage-cli methods"});
    row("metric of any length", run({"--quality-metric", x}), {"unknown metric 'xxx", "x'; choose one of"});
    row("tier of any length", run({"--tier", "ssd=5MiB," + x + "=1"}), {"unknown option 'xxx", "x'; known are path"});
    row("no method", run({"--methods", ""}), {"--methods", "leave it out"});
    row("no removed fraction", run({"--removed", ""}), {"--removed", "leave it out"});
    row("unknown method", run({"--methods", "knormm"}), {"'knormm'", "did you mean 'knorm'?"});
    row("method parameter", run({"--methods", "snapkv(window=-1)"}), {"window"});
    row("fraction above 1", run({"--removed", "0.5,1.5"}), {"--removed: '1.5'", "below 1; write it"});
    row("fraction not a number", run({"--removed", "half"}), {"--removed", "'half'"});
    row("unknown metric", run({"--quality-metric", "bleu"}), {"'bleu'", "token_f1"});
    row("no decode option", run({"--decode-options", ""}), {"--decode-options", "leave it out"});
    row("unknown decode option", run({"--decode-options", "knormm(budget=25%)"}), {"did you mean 'knorm'?"});
    row("planned without options", run({"--decode-eviction", "planned"}),
        {"error: --decode-eviction: ", "decode_options", "empty"});
    row("negative alpha", run({"--alpha", "-1"}), {"error: --alpha: must be 0 or greater"});
    row("negative rate", run({"--rate", "-1"}), {"--rate: "});
    row("parameter of the loop", run({"--decode-eviction", "paged_eviction(budgt=25%)"}),
        {"error: --decode-eviction: ", "unknown parameter 'budgt'; did you mean 'budget'?"});
    row("negative limit", run({"--limit", "-1"}), {"--limit"});
    row("limit of zero", run({"--limit", "0"}), {"--limit"});
    row("negative threads", run({"--threads", "-1"}), {"--threads", "'-1'"});
    row("negative seed", run({"--seed", "-1"}), {"--seed", "'-1'"});
    row("negative budget", run({"--tier", "dram=-5MiB"}), {"dram=-5MiB", "negative"});
    row("budget below zero", run({"--tier", "dram=-5"}),
        {"tier 'dram=-5': size '-5' is negative; give one like 64MiB"});
    row("budget without its unit", run({"--tier", "dram=12"}),
        {"tier 'dram': a budget of 12 bytes holds no cache; give it a unit, like 12MiB"});
    row("budget of an unknown unit", run({"--tier", "dram=12XB"}),
        {"error: tier 'dram=12XB': size '12XB': unknown unit 'XB'; write it like 64MiB or 1.5GiB"});
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
    for (const char* command : {"run", "profile", "plan", "sweep"})
      row((std::string(command) + " products").c_str(), {command, text("workload"), "--products", "fast"},
          {"--products", "'fast'"});
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
    row("quiet and progress", {"reproduce", "evicpress/fig2", "--quiet", "--progress", "json"}, 2,
        {"--quiet and --progress exclude each other"});
    row("an unknown eviction method", {"reproduce", "compaction/decode", "--eviction-methods", "h20"}, 2,
        {"'h20'", "'h2o'"});
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

KV_TEST_GUILESS_MAIN(BadCommandTest)

}  // namespace bad_command_test

#include "bad_command_test.moc"
