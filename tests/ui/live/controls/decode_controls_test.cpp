// links: kv_ui
// Controls > Decoding: each control gives the whole setting as text, and shows what it is given. The session's pool.
#include "ui/live/controls/decode_controls.h"

#include <QSignalSpy>
#include <QtTest>

#include "tests/support/test_program.h"
#include "ui/live/pool/model/session_pool_model.h"
#include "ui/live/pool/pool_dock.h"
#include "ui/text/words.h"

namespace decode_controls_test {

using namespace kvantage;

class DecodeControlsTest : public QObject {
  Q_OBJECT

  /// The controls, which take what they give, as the dock does by way of the session.
  struct Shown {
    DecodeControls controls;
    std::vector<std::string> given;
    Shown() {
      QObject::connect(&controls, &DecodeControls::chosen, [this](const std::string& setting, const QString&) {
        given.push_back(setting);
        controls.show_setting(setting);
      });
    }
    void choose(QComboBox& combo, const QString& text) {
      const int index = combo.findText(text);
      if (index < 0) qFatal("no %s", qPrintable(text));
      combo.setCurrentIndex(index);
      emit combo.activated(index);
    }
    template <class Widget>
    Widget& named(const QString& name) {
      for (Widget* widget : controls.findChildren<Widget*>())
        if (widget->accessibleName() == name) return *widget;
      qFatal("no %s", qPrintable(name));
    }
  };

 private slots:
  void everyMethodIsOffered() {
    Shown shown;
    QCOMPARE(shown.controls.method().count(), static_cast<int>(decode_methods().size()) + 2);  // none, planned
    for (int i = 0; i < shown.controls.method().count(); ++i)
      QVERIFY(!shown.controls.method().itemData(i, Qt::ToolTipRole).toString().isEmpty());
  }

  void aMethodComesWithItsDefaultsAndKeepsTheBudget() {
    Shown shown;
    QVERIFY(!shown.controls.budget().isEnabled());
    shown.choose(shown.controls.method(), "knorm");
    QCOMPARE(shown.given.back(), std::string("knorm(budget=50%)"));
    QVERIFY(shown.controls.budget().isEnabled());
    shown.controls.budget().setValue(25);
    QCOMPARE(shown.given.back(), std::string("knorm(budget=25%)"));
    shown.choose(shown.controls.method(), "r_kv");
    QCOMPARE(shown.given.back(), std::string("r_kv(budget=25%)"));
    QCOMPARE(shown.named<QSpinBox>("Eviction cadence").value(), 128);
    shown.choose(shown.controls.method(), "none");
    QCOMPARE(shown.given.back(), std::string("none"));
    QVERIFY(!shown.controls.budget().isEnabled());
    QCOMPARE(shown.given.size(), std::size_t{4});
  }

  // What a method does not bring itself stays as it was chosen, across methods that have none of it and "none".
  void cutAndCompactionStayWhereTheMethodEvicts() {
    Shown shown;
    shown.controls.show_setting(
        "keydiff(budget=30%,cadence=7,table=layer,compaction=hole_fill,compact_every=64,compact_ms=2,cut=prefill)");
    const std::string kept = "compaction=hole_fill,compact_every=64,compact_ms=2,cut=prefill)";
    shown.choose(shown.controls.method(), "tova");
    QCOMPARE(shown.given.back(), "tova(budget=30%," + kept);
    shown.choose(shown.controls.method(), "paged_eviction");
    QCOMPARE(shown.given.back(), "paged_eviction(budget=30%," + kept);
    shown.choose(shown.controls.method(), "quest");  // evicts nothing
    QCOMPARE(shown.given.back(), std::string("quest(budget=30%)"));
    shown.controls.budget().setValue(20);
    QCOMPARE(shown.given.back(), std::string("quest(budget=20%)"));
    shown.choose(shown.controls.method(), "knorm");
    QCOMPARE(shown.given.back(), "knorm(budget=20%," + kept);
    for (const char* off : {"none", "planned"}) {
      shown.choose(shown.controls.method(), off);
      QCOMPARE(shown.given.back(), std::string(off));
      QCOMPARE(shown.controls.budget().value(), 20.0);
      QVERIFY(!shown.controls.budget().isEnabled() && !shown.controls.cut().isEnabled());
      shown.choose(shown.controls.method(), "h2o");
      QCOMPARE(shown.given.back(), "h2o(budget=20%," + kept);
    }
    shown.choose(shown.named<QComboBox>("Unit of the decode budget"), "tokens");
    shown.choose(shown.controls.method(), "none");
    shown.choose(shown.controls.method(), "tova");
    QCOMPARE(shown.given.back(), "tova(budget=512," + kept);
  }

  void everyControlChangesItsPartAlone() {
    Shown shown;
    shown.controls.show_setting("keydiff(budget=40%)");
    QVERIFY(shown.given.empty());  // showing is not choosing
    shown.named<QSpinBox>("Eviction cadence").setValue(7);
    QCOMPARE(shown.given.back(), std::string("keydiff(budget=40%,cadence=7)"));
    shown.choose(shown.named<QComboBox>("Block table"), "per layer");
    QCOMPARE(shown.given.back(), std::string("keydiff(budget=40%,cadence=7,table=layer)"));
    shown.choose(shown.named<QComboBox>("Compaction"), "hole filling");
    QCOMPARE(shown.given.back(), std::string("keydiff(budget=40%,cadence=7,table=layer,compaction=hole_fill)"));
    shown.named<QSpinBox>("Compaction cadence").setValue(64);
    QCOMPARE(shown.given.back(),
             std::string("keydiff(budget=40%,cadence=7,table=layer,compaction=hole_fill,compact_every=64)"));
    shown.choose(shown.named<QComboBox>("Unit of the decode budget"), "tokens");
    QCOMPARE(shown.given.back(),
             std::string("keydiff(budget=512,cadence=7,table=layer,compaction=hole_fill,compact_every=64)"));
    shown.controls.budget().setValue(300);
    QVERIFY(shown.given.back().starts_with("keydiff(budget=300,"));
    shown.controls.show_setting("keydiff(budget=40%)");
    QVERIFY(shown.controls.compaction_limit().text() == "all at once" && !shown.controls.page().isEnabled());
    shown.controls.compaction_limit().setValue(1.5);
    QCOMPARE(shown.given.back(), std::string("keydiff(budget=40%,compact_ms=1.5)"));
    shown.controls.show_setting("keydiff(budget=40%,compaction=none)");
    QVERIFY(!shown.controls.compaction_limit().isEnabled());
    shown.controls.show_setting("keydiff(budget=40%)");
    shown.choose(shown.named<QComboBox>("Cut of the prompt"), "during the prefill");
    QCOMPARE(shown.given.back(), std::string("keydiff(budget=40%,cut=prefill)"));
    shown.controls.show_setting("keydiff(budget=40%,cut=prefill)");
    QCOMPARE(shown.controls.cut().currentText(), QString("during the prefill"));
  }

  void pagesHaveNoCadence() {
    Shown shown;
    shown.controls.show_setting("paged_eviction(budget=25%)");
    QVERIFY(!shown.named<QSpinBox>("Eviction cadence").isEnabled());
    shown.choose(shown.named<QComboBox>("Block table"), "per sequence");
    QCOMPARE(shown.given.back(), std::string("paged_eviction(budget=25%,table=sequence)"));
    shown.controls.show_setting("paged_eviction(budget=25%)");
    QCOMPARE(shown.controls.page().currentText(), QString("a block of the pool"));
    shown.choose(shown.controls.page(), "16 tokens");
    QCOMPARE(shown.given.back(), std::string("paged_eviction(page=16,budget=25%)"));
    shown.choose(shown.controls.page(), "a block of the pool");
    QCOMPARE(shown.given.back(), std::string("paged_eviction(budget=25%)"));
    shown.controls.show_setting("paged_eviction(page=512,budget=25%)");  // not in the list
    QCOMPARE(shown.controls.page().currentText(), QString("512 tokens"));
    shown.controls.show_setting("quest(budget=25%)");
    QCOMPARE(shown.controls.page().currentText(), QString("16 tokens"));
    QCOMPARE(shown.controls.page().findData(0), -1);
    QVERIFY(!shown.named<QComboBox>("Compaction").isEnabled() && !shown.controls.cut().isEnabled());
    QVERIFY(shown.controls.budget().isEnabled());
  }

  void whenToEvictIsChosenForPagedEvictionOnly() {
    Shown shown;
    QComboBox& evict = shown.named<QComboBox>("When to evict a page");
    QCOMPARE(evict.count(), 2);
    for (const char* setting : {"knorm(budget=25%)", "quest(budget=25%)", "none", "planned"}) {
      shown.controls.show_setting(setting);
      QVERIFY2(!evict.isEnabled(), setting);
    }
    shown.controls.show_setting("paged_eviction(page=16,budget=25%)");
    QVERIFY(evict.isEnabled());
    QCOMPARE(evict.currentText(), QString("above the budget"));
    shown.choose(evict, "when a page is full");
    QCOMPARE(shown.given.back(), std::string("paged_eviction(evict_when=page_full,page=16,budget=25%)"));
    QCOMPARE(evict.currentText(), QString("when a page is full"));
    shown.choose(shown.controls.page(), "a block of the pool");
    QCOMPARE(shown.given.back(), std::string("paged_eviction(evict_when=page_full,budget=25%)"));
    shown.choose(evict, "above the budget");
    QCOMPARE(shown.given.back(), std::string("paged_eviction(budget=25%)"));
    shown.controls.show_setting("paged_eviction(evict_when=page_full,budget=40%)");
    QCOMPARE(evict.currentText(), QString("when a page is full"));
    shown.controls.budget().setValue(30);
    QCOMPARE(shown.given.back(), std::string("paged_eviction(evict_when=page_full,budget=30%)"));
  }

  // Other methods score one layer at a time: the choice is taken back.
  void aTableThatAMethodLacksIsTakenBack() {
    Shown shown;
    shown.controls.show_setting("knorm(budget=25%)");
    shown.choose(shown.named<QComboBox>("Block table"), "per sequence");
    QVERIFY(shown.given.empty());
    QCOMPARE(shown.named<QComboBox>("Block table").currentText(), QString("per head"));
  }

  // A parameter of the method that no control shows is kept.
  void ownParametersStay() {
    Shown shown;
    shown.controls.show_setting("knorm(keep=high,budget=25%)");
    shown.controls.budget().setValue(30);
    QCOMPARE(shown.given.back(), std::string("knorm(keep=high,budget=30%)"));
  }

  // Controls are 290 pixels wide at first, of which labels and margins take a good third.
  void thePlaceholderOfOptionsIsWhole() {
    Shown shown;
    const QLineEdit& options = shown.controls.options();
    const int text = options.fontMetrics().horizontalAdvance(options.placeholderText());
    QVERIFY2(text <= 180, qPrintable(QString("%1 takes %2 pixels").arg(options.placeholderText()).arg(text)));
    const QString example = options.placeholderText().section(' ', -1);
    const auto read = parse_decode_eviction(example.toStdString());
    QVERIFY2(read && *read, qPrintable(example));  // what it shows can be typed
  }

  void optionsAreAListThatPlannedChoosesFrom() {
    Shown shown;
    std::vector<std::vector<std::string>> listed;
    connect(&shown.controls, &DecodeControls::options_chosen,
            [&](const std::vector<std::string>& options) { listed.push_back(options); });
    shown.choose(shown.controls.method(), "planned");
    QCOMPARE(shown.given.back(), std::string("planned"));
    QCOMPARE(shown.controls.method().currentText(), QString("planned"));
    QVERIFY(!shown.controls.budget().isEnabled());
    shown.controls.show_setting("planned", {"knorm(budget=25%)", "r_kv(window=16,budget=512)"});
    QCOMPARE(shown.controls.options().text(), QString("knorm(budget=25%), r_kv(window=16,budget=512)"));
    emit shown.controls.options().editingFinished();  // unchanged: the field was only left
    QVERIFY(listed.empty());
    shown.controls.options().setText("knorm(budget=25%), quest(page=32,budget=10%)");
    emit shown.controls.options().editingFinished();
    QVERIFY((listed == std::vector<std::vector<std::string>>{{"knorm(budget=25%)", "quest(page=32,budget=10%)"}}));
    shown.controls.show_setting("knorm(budget=25%)", {});
    QVERIFY(shown.controls.options().text().isEmpty() && shown.controls.budget().isEnabled());
  }

  void settingsInWords() {
    QCOMPARE(decode_eviction_text("none"), QString("off"));
    QCOMPARE(decode_eviction_text("planned"), QString("planned"));
    DecodingRecord planned;
    planned.peak_bytes = 2 << 20;
    planned.held_bytes = 1 << 20;
    planned.choice = DecodeChoice{};
    QVERIFY(decoding_text(planned).contains("planned: none, because the options are not profiled yet"));
    planned.choice = DecodeChoice{"knorm(budget=25%)", 3, 0.75, 0.01, 0.1};
    QVERIFY(decoding_text(planned).contains("planned: knorm(budget=25%), chosen from 3; predicted quality 0.75"));
    QCOMPARE(decode_eviction_text("paged_eviction(budget=25%)"), QString("paged_eviction, budget 25 % of the prompt"));
    DecodingRecord decoding;
    decoding.evicted_entries = 1200;
    decoding.deciding_seconds = 0.002;
    decoding.eviction = "knorm(budget=64)";
    decoding.budget_tokens = 64;
    decoding.peak_bytes = 2 << 20;
    decoding.held_bytes = 1 << 20;
    QVERIFY(decoding_text(decoding).contains("peak 2.0 MiB, 1.0 MiB at the end"));
    QVERIFY(decoding_text(decoding).contains("1200 KV entries evicted"));
    decoding.not_applied = "heads hold different numbers of tokens";
    QVERIFY(decoding_text(decoding).contains("not applied: heads hold different numbers of tokens"));
    QCOMPARE(decoding_text({}), QString());
  }

  void thePoolOfTheSessionIsShown() {
    SessionPoolModel pool;
    PoolDock dock({}, &pool);
    QVERIFY(dock.session_text().isEmpty());
    PoolReport report{.capacity_blocks = 2048,
                      .live_blocks = 37,
                      .block_bytes = 32768,
                      .block_tokens = 32,
                      .requests = 2,
                      .request_bytes = 1 << 20};
    pool.set_report(report);
    QVERIFY2(dock.session_text().startsWith("37 of 2,048 blocks in use (1.2 MiB of 64.0 MiB)"),
             qPrintable(dock.session_text()));
    pool.set_report(report);  // nothing new
    QCOMPARE(pool.samples().size(), std::size_t{1});
    report.decoding.add({.evicted_entries = 500, .compactions = {1, 8, 40, 0.001}});
    pool.set_report(report);
    QVERIFY(dock.session_text().contains("500 KV entries evicted in 1 answer"));
    QVERIFY(dock.session_text().contains("1 compaction pass freed 8 blocks in 1.0 ms"));
    QCOMPARE(pool.rows().size(), std::size_t{3});
    pool.set_report(std::nullopt);  // a recorded run is shown
    QVERIFY(dock.session_text().isEmpty());
    QCOMPARE(pool.samples().size(), std::size_t{2});
  }
};

KV_TEST_MAIN(DecodeControlsTest)

}  // namespace decode_controls_test

#include "decode_controls_test.moc"
