// links: kv_ui
// Controls > Decoding, offload: the tiers that may be named are offered, and each control gives the whole setting.
#include "ui/live/controls/offload_controls.h"

#include <QtTest>

#include "core/ports/decode_offload.h"
#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"

namespace offload_controls_test {

using namespace kvantage;

class OffloadControlsTest : public QObject {
  Q_OBJECT

  static SessionSettings settings_of(const std::string& offload) {
    SessionSettings settings;
    settings.tiers = {{.name = "dram", .budget = 1 << 20},
                      {.name = "ssd", .budget = 1 << 20},
                      {.name = "remote", .budget = 1 << 20, .options = {{"url", "redis://host:6379"}}}};
    settings.decode_offload = offload;
    return settings;
  }
  static void choose(QComboBox& combo, const QString& text) {
    const int index = combo.findText(text);
    if (index < 0) qFatal("no %s", qPrintable(text));
    combo.setCurrentIndex(index);
    emit combo.activated(index);
  }

 private slots:
  void tiersOfThisMachineAreOffered() {
    OffloadControls controls;
    controls.show_settings(settings_of("ssd(split=load_only)"));
    QCOMPARE(controls.tier().count(), 3);  // none, dram, ssd: others use the server's entries, too
    QCOMPARE(controls.tier().currentText(), QString("ssd"));
    QCOMPARE(controls.split().currentText(), QString("loading only"));
    QVERIFY(!controls.tier().toolTip().isEmpty() && !controls.split().toolTip().isEmpty());
  }

  void aChoiceGivesTheWholeSetting() {
    OffloadControls controls;
    std::vector<std::string> given;
    connect(&controls, &OffloadControls::chosen, this, [&](const std::string& setting) {
      given.push_back(setting);
      controls.show_settings(settings_of(setting));
    });
    controls.show_settings(settings_of("none"));
    QVERIFY(given.empty());  // showing is not choosing
    choose(controls.split(), "loading only");
    QCOMPARE(given.back(), std::string("none"));
    choose(controls.tier(), "ssd");  // the split that was chosen first
    QCOMPARE(given.back(), std::string("ssd(split=load_only)"));
    choose(controls.split(), "recompute only");
    QCOMPARE(given.back(), std::string("ssd(split=recompute_only)"));
    choose(controls.split(), "solved for each token");
    QCOMPARE(given.back(), std::string("ssd"));
    choose(controls.weights(), "streamed, W_K and W_V first");
    QCOMPARE(given.back(), std::string("ssd(weights=kv_first)"));
    choose(controls.resident(), "layer inputs");
    QCOMPARE(given.back(), std::string("ssd(resident=inputs,weights=kv_first)"));
    choose(controls.batch(), "layer by layer together");
    QCOMPARE(given.back(), std::string("ssd(resident=inputs,weights=kv_first,batch=column)"));
    choose(controls.tier(), "none");
    QCOMPARE(given.back(), std::string("none"));
    QCOMPARE(given.size(), std::size_t{8});
  }

  // Neither the ring nor the note under the slider knows what is read while an answer is decoded.
  void thePredictionSaysThatItIsWithoutOffload() {
    ScriptedWindow scripted;
    ScriptedSession session;
    const auto window = scripted.loaded(session);
    const auto note = [&window] {
      for (const QLabel* label : controls_of(*window).findChildren<QLabel*>())
        if (label->text().startsWith("Predicted: ")) return label->text();
      return QString();
    };
    QTRY_VERIFY(!note().isEmpty());
    QVERIFY2(!note().contains("without"), qPrintable(note()));
    SessionSettings settings = window->models().settings.committed();
    settings.decode_offload = "ssd(resident=inputs)";
    QVERIFY(window->models().settings.commit(settings, "offload", {}));
    QTRY_VERIFY2(note().contains("\nPredicted without decode offload"), qPrintable(note()));
    QVERIFY2(!note().contains("decode eviction"), qPrintable(note()));
  }

  void textsNameTierAndSplit() {
    QCOMPARE(decode_offload_text("none"), QString("off"));
    QCOMPARE(decode_offload_text("ssd"), QString("ssd, solved for each token"));
    QCOMPARE(decode_offload_text("dram(split=load_only)"), QString("dram, loading only"));
    QCOMPARE(decode_offload_text("dram(split=load_only,weights=all_first)"),
             QString("dram, loading only, weights streamed"));
    QCOMPARE(decode_offload_text("ssd(split=load_only,batch=column)"),
             QString("ssd, loading only, layer by layer together"));
  }
};

KV_TEST_MAIN(OffloadControlsTest)

}  // namespace offload_controls_test

#include "offload_controls_test.moc"
