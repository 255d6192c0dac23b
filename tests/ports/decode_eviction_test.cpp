// links: kv_reports
// Decode-time eviction as a text: what is read is written again, and what is wrong is named.
#include "core/ports/decode_eviction.h"

#include <QtTest>

#include "core/base/random.h"
#include "tests/support/test_program.h"

namespace decode_eviction_text_test {

using namespace kvantage;
using namespace kvantage::test;

class DecodeEvictionTextTest : public QObject {
  Q_OBJECT

 private slots:
  void canonicalTexts_data() {
    QTest::addColumn<QString>("given");
    QTest::addColumn<QString>("canonical");
    const auto row = [](const char* given, const char* canonical) { QTest::newRow(given) << given << canonical; };
    row("knorm", "knorm(budget=50%)");
    row("inverse_key_norm(budget=20%)", "knorm(budget=20%)");
    row("knorm(keep=low,budget=512,cadence=1)", "knorm(budget=512)");
    row("knorm( keep=high , cadence=4, budget=12.5% )", "knorm(keep=high,budget=12.5%,cadence=4)");
    row("r_kv(cadence=128,window=16)", "r_kv(window=16,budget=50%)");
    row("r_kv(cadence=1)", "r_kv(budget=50%,cadence=1)");
    row("paged_eviction(table=layer,budget=25%)", "paged_eviction(budget=25%)");
    row("paged_eviction(table=sequence,evict_when=page_full)",
        "paged_eviction(evict_when=page_full,budget=50%,table=sequence)");
    row("keydiff(table=layer,compaction=hole_fill,compact_every=64)",
        "keydiff(budget=50%,table=layer,compaction=hole_fill,compact_every=64)");
    row("paged_eviction(cut=prefill,budget=25%)", "paged_eviction(budget=25%,cut=prefill)");
    row("knorm(cut=first_token)", "knorm(budget=50%)");
    row("quest(page=32,budget=100%)", "quest(page=32,budget=100%)");
    row("knorm(compact_ms=0.5)", "knorm(budget=50%,compact_ms=0.5)");
    row("knorm(compact_ms=0,budget=25%)", "knorm(budget=25%)");
    row("paged_eviction(page=16,budget=25%,compact_ms=2)", "paged_eviction(page=16,budget=25%,compact_ms=2)");
    row("paged_eviction(page=0)", "paged_eviction(budget=50%)");
  }
  void canonicalTexts() {
    QFETCH(const QString, given);
    QFETCH(const QString, canonical);
    const auto read = parse_decode_eviction(given.toStdString());
    QVERIFY2(read.has_value(), read ? "" : read.error().message.c_str());
    QCOMPARE(QString::fromStdString((*read)->text()), canonical);
    const auto again = parse_decode_eviction((*read)->text());
    QVERIFY(again.has_value() && **again == **read);
  }

  void aPageIsAParameterOfSome() {
    const auto paged = parse_decode_eviction("paged_eviction(budget=25%)").value().value();
    QCOMPARE(paged.page(), std::optional<int>(0));
    const auto sixteen = paged.with_page(16);
    QVERIFY(sixteen && sixteen->page() == 16);
    QCOMPARE(sixteen->text(), std::string("paged_eviction(page=16,budget=25%)"));
    QVERIFY(*sixteen->with_page(0) == paged);
    QVERIFY(!paged.with_page(-1) && !paged.with_page(4097));
    const auto quest = parse_decode_eviction("quest(dense=1)").value().value();
    QCOMPARE(quest.page(), std::optional<int>(16));
    QCOMPARE(quest.with_page(64)->text(), std::string("quest(page=64,dense=1,budget=50%)"));
    const auto knorm = parse_decode_eviction("knorm").value().value();
    QVERIFY(!knorm.page() && !knorm.with_page(16));
  }

  void whenToEvictIsAParameterOfOne() {
    const auto paged = parse_decode_eviction("paged_eviction(page=16,budget=25%)").value().value();
    QVERIFY(paged.evict_when() == EvictWhen::above_budget);
    const auto full = paged.with_evict_when(EvictWhen::page_full);
    QVERIFY(full && full->evict_when() == EvictWhen::page_full);
    QCOMPARE(full->text(), std::string("paged_eviction(evict_when=page_full,page=16,budget=25%)"));
    QVERIFY(*full->with_evict_when(EvictWhen::above_budget) == paged);
    const auto knorm = parse_decode_eviction("knorm").value().value();
    QVERIFY(!knorm.evict_when());
    const auto refused = knorm.with_evict_when(EvictWhen::page_full);
    QVERIFY(!refused && refused.error().code == ErrorCode::usage);
    QVERIFY2(QString::fromStdString(refused.error().message).contains("no parameter 'evict_when'"),
             refused.error().message.c_str());
  }

  void noneIsNothing() {
    const auto read = parse_decode_eviction("none");
    QVERIFY(read.has_value() && !read->has_value());
    QVERIFY(!parse_decode_eviction("none(budget=25%)"));
  }

  void whatIsWrongIsNamed_data() {
    QTest::addColumn<QString>("given");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* given, const char* says) { QTest::newRow(given) << given << says; };
    row("paged_evictoin", "did you mean 'paged_eviction'");
    row("knorm(budget=0%)", "budget=0%");
    row("knorm(budget=101%)", "budget=101%");
    row("knorm(compact_ms=-1)", "compact_ms=-1");
    row("knorm(compact_ms=1001)", "compact_ms=1001");
    row("knorm(page=16)", "unknown parameter 'page'");
    row("knorm(budget=-5)", "budget=-5");
    row("knorm(budget=1.5)", "budget=1.5");
    row("knorm(budget=nan%)", "budget=nan%");
    row("knorm(budget=many)", "budget=many");
    row("knorm(budget=5,budget=6)", "given twice");
    row("knorm(budgit=5)", "unknown parameter 'budgit'; did you mean 'budget'?");
    row("quest(pages=32)", "unknown parameter 'pages'; did you mean 'page'?");
    row("knorm(cadence=0)", "from 1 to 65536");
    row("knorm(table=sequence)", "unknown table 'sequence'; choose one of head, layer");
    row("paged_eviction(cadence=4)", "cadence");
    row("quest(compaction=none)", "compaction");
    row("knorm(compaction=maybe)", "unknown compaction 'maybe'; choose one of repack, hole_fill, none");
    row("knorm(", "write one such as");
    row("", "write one such as");
  }
  void whatIsWrongIsNamed() {
    QFETCH(const QString, given);
    QFETCH(const QString, says);
    const auto read = parse_decode_eviction(given.toStdString());
    QVERIFY(!read);
    QVERIFY(read.error().code == ErrorCode::usage);
    QVERIFY2(QString::fromStdString(read.error().message).contains(says), read.error().message.c_str());
  }

  void aShareIsOfThePrompt() {
    QCOMPARE((DecodeBudget{.percent = 25}).of_prompt(1000), 250);
    QCOMPARE((DecodeBudget{.percent = 0.1}).of_prompt(100), 1);
    QCOMPARE((DecodeBudget{.tokens = 512}).of_prompt(100), 512);
  }

  void everyMethodIsReadAndWritten() {
    for (const DecodeMethodInfo& method : decode_methods()) {
      const std::string all = std::string(method.name) + "(" + std::string(method.parameters) +
                              (method.parameters.empty() ? "" : ",") + loop_parameters(method) + ")";
      const auto read = parse_decode_eviction(all);
      QVERIFY2(read.has_value(), (all + ": " + (read ? "" : read.error().message)).c_str());
      QCOMPARE((*read)->text(), std::string(method.name) + "(budget=50%)");
      QCOMPARE((*read)->selects_pages(), method.selects);
    }
  }

  // Any text is refused or has a canonical form that reads as itself.
  void anyText() {
    Random random(7);
    const std::vector<std::string> pieces{
        "knorm", "quest", "paged_eviction", "(", ")", ",",  "=",     "budget", "25%", "cadence", "table", "layer",
        "keep",  "8",     "page=0",         " ", "%", "-1", "1e400", "high",   "none"};
    int read_texts = 0;
    for (int i = 0; i < 20'000; ++i) {
      std::string text = i % 2 == 0 ? "" : "knorm(budget=";
      for (std::uint64_t n = random.below(8); n > 0; --n) text += pieces[random.below(pieces.size())];
      if (i % 2 == 1) text += ")";
      const auto read = parse_decode_eviction(text);
      if (!read || !*read) continue;
      ++read_texts;
      const auto again = parse_decode_eviction((*read)->text());
      QVERIFY2(again.has_value() && **again == **read, text.c_str());
    }
    QVERIFY(read_texts > 100);
  }
};

KV_TEST_GUILESS_MAIN(DecodeEvictionTextTest)

}  // namespace decode_eviction_text_test

#include "decode_eviction_test.moc"
