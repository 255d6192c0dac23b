// links: app_wiring
// Policies and settings against the methods that there are: what no method can do is refused where it is written.
#include <QtTest>

#include "core/base/shown_text.h"
#include "core/engine/settings_check.h"
#include "core/policy/partial_recompute.h"
#include "core/text/code/code_bleu.h"
#include "tests/support/test_program.h"

namespace settings_check_test {

using namespace kvantage;

class SettingsCheckTest : public QObject {
  Q_OBJECT
 private slots:
  void impossibleFormsAreRefused_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("part");
    QTest::newRow("a codec")
        << "fixed(kivi4,0.5)"
        << "removes no tokens, so no context can be stored with 0.5 of them removed; write fixed(kivi4,0)";
    QTest::newRow("nothing at all") << "fixed(none,0.5)"
                                    << "write fixed(none,0)";
    QTest::newRow("with an order") << "fixed(fp8,0.25,eviction=lfu)"
                                   << "write fixed(fp8,0)";
    QTest::newRow("no token kept")
        << "important_fraction(kept=1e-300)"
        << "keeps no token of a context; keep more of them, e.g. important_fraction(kept=0.5)";
    QTest::newRow("a codec in a fraction") << "important_fraction(kept=0.5,method=kivi4)"
                                           << "keep every token with kept=1";
    QTest::newRow("no such method") << "fixed(nosuch,0.5)"
                                    << "unknown";
  }
  void impossibleFormsAreRefused() {
    QFETCH(QString, text);
    QFETCH(QString, part);
    const auto made = make_servable_policy(text.toStdString());
    QVERIFY(!made && made.error().code == ErrorCode::usage);
    QVERIFY2(made.error().message.starts_with("policy '" + text.toStdString() + "': ") &&
                 made.error().message.find(part.toStdString()) != std::string::npos,
             made.error().message.c_str());
    // What a window sets passes the same way.
    SessionSettings settings;
    settings.tiers = {{.name = "dram", .budget = 1000}};
    settings.methods = {"knorm"};
    settings.removed_fractions = {0.5};
    settings.quality_metric = "token_f1";
    settings.policy = "fixed(knorm,0.5)";
    const auto defaults = checked_settings(settings);
    QVERIFY2(defaults.has_value(), defaults ? "" : defaults.error().message.c_str());
    settings.policy = text.toStdString();
    const auto checked = checked_settings(settings);
    QVERIFY(!checked && checked.error().message == made.error().message);
  }

  void decodeOptionsGetTheirCanonicalForm() {
    SessionSettings settings;
    settings.policy = "fixed(knorm,0.5)";
    settings.tiers = {{.name = "dram", .budget = 1000}};
    settings.methods = {"knorm"};
    settings.removed_fractions = {0.5};
    settings.decode_eviction = "planned";
    settings.decode_options = {"inverse_key_norm(budget=25.0%)", "quest(page=32)"};
    const auto checked = checked_settings(settings);
    QVERIFY2(checked.has_value(), checked ? "" : checked.error().message.c_str());
    QVERIFY((checked->decode_options == std::vector<std::string>{"knorm(budget=25%)", "quest(page=32,budget=50%)"}));
    QCOMPARE(checked->decode_eviction, std::string("planned"));
    settings.quality_metric = "logit_kl";
    const auto predictions = checked_settings(settings);
    QVERIFY(!predictions && predictions.error().code == ErrorCode::usage);
    QVERIFY(predictions.error().message.starts_with("decode_options: are measured by answers"));
    settings.decode_options.clear();
    settings.decode_eviction = "none";
    QVERIFY(checked_settings(settings).has_value());
  }

  // code_bleu needs a parser that a build may lack.
  void aMetricWithoutItsParserIsRefused() {
    SessionSettings settings;
    settings.policy = "fixed(knorm,0.5)";
    settings.tiers = {{.name = "dram", .budget = 1000}};
    settings.methods = {"knorm"};
    settings.removed_fractions = {0.5};
    settings.quality_metric = "code_bleu";
    const Status parser = code_parser_is_there();
    const auto checked = checked_settings(settings);
    QCOMPARE(checked.has_value(), parser.has_value());
    if (parser) return;
    QVERIFY(checked.error().code == ErrorCode::rejected_input);
    QCOMPARE(checked.error().message, parser.error().message);
    QVERIFY2(checked.error().message.size() <= max_message_characters, checked.error().message.c_str());
  }

  void possibleFormsAreServed() {
    for (const char* text : {"fixed(kivi4,0)", "fixed(none,0)", "fixed(knorm,0)", "fixed(knorm+kivi4,0.5)",
                             "important_fraction(kept=1,method=kivi4)", "important_fraction(kept=0.001)", "impress",
                             "impress(kept=0.001)", "full_prefill", "evicpress"}) {
      const auto made = make_servable_policy(text);
      QVERIFY2(made.has_value(), made ? "" : made.error().message.c_str());
    }
  }

  // On the command line no word of it is replaced by "…", not even with a model of many digits.
  void aRefusedSplitFitsItsLine() {
    const RecomputeShape shape{
        .hidden = 16384, .kv_heads = 128, .head_dim = 128, .input_bytes = 4, .kv_bytes = 2};  // fp32 layer inputs
    const Status pays = check_recompute_pays(RecomputeSchedule::column, shape);
    QVERIFY(!pays);
    SessionSettings settings;
    settings.decode_offload = "device(weights=kv_first)";
    const Status refused = check_split(settings, pays.error().message);
    QVERIFY(!refused && refused.error().code == ErrorCode::usage);
    const std::string line = "error: " + refused.error().message;
    QCOMPARE(QString::fromStdString(message_line(line)), QString::fromStdString(line));
    for (const char* part :
         {"decode_offload: partial recomputation", "hidden 16384", "64.0 KiB", "2 x 128 KV heads x 128",
          "so shipping inputs cannot pay; write device(resident=inputs)", "device(split=load_only)"})
      QVERIFY2(line.find(part) != std::string::npos, (line + ": " + part).c_str());
    settings.decode_offload = "device(split=load_only)";
    QVERIFY(check_split(settings, pays.error().message).has_value());
  }

  void speculationIsWrittenInOneForm() {
    SessionSettings settings;
    settings.tiers = {{.name = "dram", .budget = 1 << 20}};
    settings.methods = {"knorm"};
    settings.removed_fractions = {0.5};
    settings.speculation = "lookup( k = 4, n=3 )";
    const auto checked = checked_settings(settings);
    QVERIFY2(checked.has_value(), checked ? "" : checked.error().message.c_str());
    QCOMPARE(checked->speculation, std::string("lookup(k=4)"));
    settings.speculation = "lookup(k=80)";
    QVERIFY(!checked_settings(settings));
  }

  // They are chosen when the model is loaded.
  void productsStayThoseOfTheLoadedModel() {
    SessionSettings loaded, wanted;
    QVERIFY(check_products(wanted, loaded).has_value());
    wanted.products = "batch_invariant";
    const Status refused = check_products(wanted, loaded);
    QVERIFY(!refused && refused.error().code == ErrorCode::usage);
    QCOMPARE(refused.error().message,
             std::string("products: this session's model was loaded with library; start a session with --products "
                         "batch_invariant"));
    loaded.products = "batch_invariant";
    QVERIFY(check_products(wanted, loaded).has_value());
  }

  void aMethodMeetsTheFractionsThatItCanRemove() {
    const auto forms = fixed_forms({"kivi4", "knorm", "none", "knorm+kivi4", "fp8"}, {0, 0.5, 0.9});
    QVERIFY(forms.has_value());
    const std::vector<std::string> expected{"fixed(kivi4,0)", "fixed(knorm,0.5)",       "fixed(knorm,0.9)",
                                            "fixed(none,0)",  "fixed(knorm+kivi4,0.5)", "fixed(knorm+kivi4,0.9)",
                                            "fixed(fp8,0)"};
    QVERIFY(*forms == expected);
    for (const std::string& form : *forms) QVERIFY2(make_servable_policy(form).has_value(), form.c_str());
    QVERIFY(!fixed_forms({"nosuch"}, {0.5}));
  }
};

KV_TEST_GUILESS_MAIN(SettingsCheckTest)

}  // namespace settings_check_test

#include "settings_check_test.moc"
