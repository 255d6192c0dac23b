// links: kv_ui
// The list of models: where each comes from, what is read first, and what fits into memory.
#include "ui/model_library/model/model_library.h"

#include <QApplication>
#include <QFont>
#include <QLocale>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <memory>
#include <optional>

#include "tests/support/test_program.h"
#include "tests/ui/model_library/scripted_catalog.h"
#include "ui/model_library/model/model_facts_table.h"

namespace model_library_test {

using namespace kvantage;

namespace {

struct Bench {
  QTemporaryDir folder;
  QSettings settings{folder.filePath("window.ini"), QSettings::IniFormat};
  std::shared_ptr<ScriptedCatalog> catalog = std::make_shared<ScriptedCatalog>();
  QStringList recent{"/m/recent"};
  std::unique_ptr<ModelLibrary> library;
  explicit Bench(const std::optional<QString>& loaded = QStringLiteral("/m/default")) {
    catalog->put(small_facts("/m/default", "default model"));
    catalog->put(small_facts("/m/mha", "reference-mha"));
    catalog->put(qwen_facts("/m/recent", "recent"));
    KnownModels known;
    known.included = {{"/m/default", "default model"}, {"/m/mha", "reference-mha"}};
    known.loaded = loaded;
    library = std::make_unique<ModelLibrary>(settings, known);
    library->attach(catalog, [this] { return recent; });
  }
  QStringList column(int which) const {
    QStringList cells;
    for (int row = 0; row < library->rowCount(); ++row) cells << library->index(row, which).data().toString();
    return cells;
  }
  bool all_read() const {
    for (int row = 0; row < library->rowCount(); ++row)
      if (!library->entry(row)->facts) return false;
    return true;
  }
  void show() {
    library->set_active(true);
    library->refresh();
  }
};

}  // namespace

class ModelLibraryTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }

  void everySourceHasItsRows() {
    Bench bench;
    bench.catalog->put_folder("/more", {{"/more/b", "b"}, {"/m/mha", "mha"}});  // one is known already
    bench.catalog->set_cache("/hub");
    bench.catalog->put_folder("/hub", {{"/hub/q", "Qwen/Q"}});
    bench.library->add_folder("/more");
    bench.show();
    QTRY_COMPARE(bench.column(ModelLibrary::name_column),
                 (QStringList{"default model", "reference-mha", "recent", "b", "Qwen/Q"}));
    QCOMPARE(bench.column(ModelLibrary::source_column),
             (QStringList{"loaded, default model", "included", "recent", "more", "Hugging Face cache"}));
    QVERIFY(bench.library->loaded() == bench.library->entry(0));
    QVERIFY(bench.library->index(0, 0).data(Qt::FontRole).value<QFont>().bold());
    QVERIFY(!bench.library->index(1, 0).data(Qt::FontRole).isValid());
    QTRY_VERIFY(bench.all_read());
    QCOMPARE(bench.column(ModelLibrary::size_column).first(), QString("10.0 MiB"));
    // What cannot be opened says why, as opening it does.
    const int refused = bench.library->row_of("/more/b");
    QCOMPARE(bench.library->index(refused, ModelLibrary::memory_column).data().toString(), QString("cannot be opened"));
    QVERIFY(bench.library->index(refused, 0).data(Qt::ToolTipRole).toString().startsWith("/more/b: no config.json; "));
  }

  void anotherLoadedModelComesFirst() {
    Bench bench(QStringLiteral("/m/own"));
    QCOMPARE(bench.column(ModelLibrary::name_column), (QStringList{"own", "default model", "reference-mha", "recent"}));
    QCOMPARE(bench.column(ModelLibrary::source_column), (QStringList{"loaded", "default model", "included", "recent"}));
    Bench without(std::nullopt);
    QVERIFY(without.library->loaded() == nullptr);
    QCOMPARE(without.column(ModelLibrary::source_column), (QStringList{"default model", "included", "recent"}));
  }

  void nothingIsReadWhileItIsNotShown() {
    Bench bench;
    QTest::qWait(50);
    QVERIFY(bench.catalog->reads().empty());
    bench.library->read_loaded();  // alone
    QTRY_VERIFY(bench.library->entry(0)->facts);
    QTest::qWait(50);
    QCOMPARE(bench.catalog->reads(), std::vector<std::string>{"/m/default"});
    bench.library->want("/m/recent");
    bench.show();
    QTRY_VERIFY(bench.all_read());
    QCOMPARE(bench.catalog->reads(), (std::vector<std::string>{"/m/default", "/m/recent", "/m/mha"}));
    bench.library->refresh();  // what is known is not read again
    QTest::qWait(50);
    QCOMPARE(bench.catalog->reads().size(), std::size_t{3});
    bench.library->reader().forget();
    bench.library->refresh();
    QTRY_COMPARE(bench.catalog->reads().size(), std::size_t{6});
  }

  void foldersAreKept() {
    Bench bench;
    bench.library->add_folder("/more/");
    bench.library->add_folder("/more");
    QCOMPARE(bench.library->folders(), QStringList("/more"));
    ModelLibrary other(bench.settings, {});
    QCOMPARE(other.folders(), QStringList("/more"));
    QCOMPARE(other.rowCount(), 0);
    bench.catalog->put_folder("/more", {{"/more/b", "b"}});
    bench.show();
    QTRY_VERIFY(bench.library->row_of("/more/b") >= 0);
    bench.library->remove_folder("/more");
    QTRY_VERIFY(bench.library->row_of("/more/b") < 0);
    QVERIFY(bench.settings.value("models/folders").toStringList().isEmpty());
  }

  // 2 GiB are free, and the loaded model's 10 MiB as soon as its facts are known.
  void whatFitsDependsOnMemoryAndContext() {
    Bench bench;
    bench.show();
    QTRY_VERIFY(bench.all_read());
    QTRY_COMPARE(bench.library->available_bytes(), (std::uint64_t{2} << 30) + (std::uint64_t{10} << 20));
    const int row = bench.library->row_of("/m/recent");
    const auto state = [&] { return bench.library->index(row, ModelLibrary::memory_column).data().toString(); };
    QCOMPARE(state(), QString("fits"));
    const auto estimate = bench.library->estimate(*bench.library->entry(row));
    QVERIFY(estimate);
    QCOMPARE(estimate->needed_bytes, std::uint64_t{1'053'750'528});  // of 4,096 tokens
    bench.catalog->set_memory({1'000'000'000, std::uint64_t{8} << 30});
    bench.library->reader().read_memory();
    QTRY_COMPARE(state(), QString("does not fit"));  // 1,010,485,760 with the loaded model's
    bench.library->set_context_tokens(512);          // needs 1,009,022,208
    QCOMPARE(state(), QString("fits"));
  }

  void theVerdictHasTheNumbers() {
    const ModelFacts facts = qwen_facts("/m/q", "q");
    const auto verdict = [&](std::uint64_t available, int tokens, bool loaded = false) {
      return ModelFactsTable::verdict(facts, {estimate_memory(facts, tokens, available), 0, tokens}, loaded);
    };
    QCOMPARE(verdict(std::uint64_t{2} << 30, 4096), QString("Fits: needs 1004.9 MiB, 2.00 GiB are free."));
    QCOMPARE(verdict(1'000'000'000, 4096), QString("Does not fit: needs 1004.9 MiB, 953.7 MiB are free."));
    QCOMPARE(verdict(std::uint64_t{2} << 30, 4096, true),
             QString("Loaded: needs 1004.9 MiB with this context, 2.00 GiB are free."));
    ModelFacts narrow = facts;
    narrow.caches.pool_limit_bytes = 64 * 32 * 12'480;
    QCOMPARE(ModelFactsTable::verdict(narrow, {estimate_memory(narrow, 4096, std::uint64_t{8} << 30), 0, 4096}, false),
             QString("A context of 4,096 tokens does not fit into the pool of KV blocks; the longest has 2,048 "
                     "tokens."));
    QCOMPARE(ModelFactsTable::verdict(facts, {}, false), QString("The free memory is not known."));
    ModelFacts refused;
    refused.refusal = "/m/x: is a Git LFS pointer, not the file itself; run `git lfs pull` in its repository";
    QCOMPARE(ModelFactsTable::verdict(refused, {}, false), QString::fromStdString(refused.refusal));
  }

  void factsAreRows() {
    const ModelFacts facts = qwen_facts("/m/q", "q");
    const ModelFit fit{estimate_memory(facts, 4096, std::uint64_t{2} << 30), std::uint64_t{8} << 30, 4096};
    ModelFactsTable table;
    table.show_rows(ModelFactsTable::rows_of(facts, fit, std::nullopt));
    QCOMPARE(table.value_of("Architecture"), QString("Qwen2ForCausalLM"));
    QCOMPARE(table.value_of("Parameters"), QString("494.0 M"));
    QCOMPARE(table.value_of("Quantization"), QString("BF16 on disk, computed in bf16"));
    QCOMPARE(table.value_of("Size on disk"), QString("942.3 MiB"));
    QCOMPARE(table.value_of("KV cache per token"), QString("12.0 KiB (bf16)"));
    QCOMPARE(table.value_of("KV cache per token, kivi4"), QString("3.9 KiB (32.3 %)"));
    QCOMPARE(table.value_of(QString::fromUtf8("Layers × KV heads × head size")), QString::fromUtf8("24 × 2 × 64"));
    QCOMPARE(table.value_of("Tokenizer"), QString("151,665 tokens"));
    QCOMPARE(table.value_of("Chat template"), QString("yes; prompt form chatml"));
    QCOMPARE(table.value_of("Free memory"), QString("2.00 GiB of 8.00 GiB"));
    QCOMPARE(table.value_of("Longest context that fits"), QString("32,768 tokens"));
    QCOMPARE(table.value_of("Prefill"), QString("not measured on this machine"));
    const ModelSpeed kept{.prefill_tokens_per_second = 2500,
                          .decode_tokens_per_second = 80,
                          .answers = 12,
                          .measured = QDate(2026, 11, 29)};
    int resets = 0;
    connect(&table, &QAbstractItemModel::modelReset, &table, [&resets] { ++resets; });
    table.show_rows(ModelFactsTable::rows_of(facts, fit, kept));
    QCOMPARE(resets, 0);  // the same facts: the cursor stays
    QCOMPARE(table.value_of("Prefill"), QString("2500 tokens/s, measured on 2026-11-29"));
    QCOMPARE(table.value_of("Decode"), QString("80.0 tokens/s, measured on 2026-11-29"));
    ModelFacts refused = facts;
    refused.refusal = "no";
    table.show_rows(ModelFactsTable::rows_of(refused, fit, kept));
    QVERIFY(table.value_of("Free memory").isEmpty() && table.value_of("Decode").isEmpty());
  }
};

KV_TEST_MAIN(ModelLibraryTest)

}  // namespace model_library_test

#include "model_library_test.moc"
