// links: kv_experiments kv_cli_program
// `reproduce` of KVPR on a model of the user's: one whose layer inputs are shorter than its keys and values is decoded,
// one where they are not is refused with both sizes, and figures on random weights take none.
#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/json.h"
#include "core/model/random_opt.h"
#include "core/report/figure.h"
#include "tests/support/layer_inputs.h"
#include "tests/support/made_figure.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace reproduce_model_test {

using namespace kvantage;
using namespace kvantage::test;

class ReproduceModelTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  QString opt_;

  /// The one line that is said; the exit code must be `code`.
  static QString refusal(const QStringList& words, int code) {
    const Answer answer = call_forked(QStringList{"reproduce"} + words);
    if (answer.exit_code != code || answer.error_lines().size() != 1 || !answer.out.isEmpty())
      return "not refused so: " + answer.text();
    return answer.error_lines().front();
  }

 private slots:
  void initTestCase() {
    opt_ = folder_.filePath("an opt, wide");
    QVERIFY(QDir().mkpath(opt_));
    // In a copy of this process, as all that computes: a copy has no threads of those that this one has started.
    const Answer written = forked([this] {
      const auto opt = write_random_opt(
          opt_.toStdString(), {.hidden = 256, .heads = 4, .layers = 2, .ffn = 512, .vocab = 200, .positions = 224}, 3);
      return opt.has_value() ? 0 : 1;
    });
    QCOMPARE(written.exit_code, 0);
  }

  void everyHeadWithKeysAndValuesIsDecoded() {
    if (!test::layer_inputs_are_short()) QSKIP(test::no_short_inputs);
    const Answer answer = call_figure(
        {"kvpr/fig7", "--model", opt_, "--context-tokens", "192", "--answer-tokens", "8", "--blocks", "2", "--json"});
    QVERIFY2(answer.exit_code == 0, answer.text().constData());
    const auto results = figure_results_of(answer.out.toStdString(), "out");
    QVERIFY(results && results->size() == 1);
    QCOMPARE(results->front().settings.at("model").get<std::string>(),
             std::string("an opt, wide, hidden 256, 4 heads, 2 layers"));
    QCOMPARE(results->front().tables.at(0).rows.size(), std::size_t{18});  // at three bandwidths
    QVERIFY(std::ranges::any_of(results->front().findings, [](const std::string& finding) {
      return finding.find("same tokens") != std::string::npos;
    }));
  }

  // A ranking of methods on the model whose training knew two of them says so.
  void aModelTrainedForMethodsSaysSo_data() {
    QTest::addColumn<QStringList>("model");
    QTest::addColumn<bool>("says");
    QTest::newRow("reference-mha") << QStringList{"--model", "reference-mha"} << true;
    QTest::newRow("default model") << QStringList{} << false;
  }
  void aModelTrainedForMethodsSaysSo() {
    QFETCH(const QStringList, model);
    QFETCH(const bool, says);
    if (model_directory().empty()) QSKIP("the models in resources are not there");
    const QStringList words =
        QStringList{"pagedeviction/fig2", "--contexts", "1", "--context-tokens", "300", "--budgets", "0.5",
                    "--answer-tokens",    "8"} +
        model;
    const Answer text = call_figure(words), json = call_figure(words + QStringList{"--json"});
    QVERIFY2(text.exit_code == 0 && json.exit_code == 0, text.text() + json.text());
    const auto results = figure_results_of(json.out.toStdString(), "out");
    QVERIFY(results && results->size() == 1);
    const char* const sentence = "on reference-mha, knorm and paged_eviction work by construction";
    QCOMPARE(results->front().findings.front().starts_with(sentence), says);
    QCOMPARE(text.out.contains(sentence), says);
  }

  // Ways of one length ship what they say; blocks of 64 tokens of this width have no padding.
  void aContextIsLoadedInThreeWays() {
    if (!test::layer_inputs_are_short()) QSKIP(test::no_short_inputs);
    const Answer answer =
        call_figure({"kvpr/context-load", "--model", opt_, "--context-tokens", "192", "--blocks", "2", "--json"});
    QVERIFY2(answer.exit_code == 0, answer.text().constData());
    const auto results = figure_results_of(answer.out.toStdString(), "out");
    QVERIFY(results && results->size() == 1);
    const FigureTable& table = results->front().tables.at(0);
    QCOMPARE(table.rows.size(), std::size_t{9});
    const auto column = [&table](const char* name) {
      return static_cast<std::size_t>(std::ranges::find(table.columns, name) - table.columns.begin());
    };
    const std::array<std::string, 3> ways{"load only", "recompute only", "split"};
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const auto& row = table.rows[r];
      const auto number = [&](const char* name) { return row.at(column(name)).get<double>(); };
      const double recomputed = number("recomputed tokens"), prompt = number("prompt tokens");
      QCOMPARE(row.at(column("variant")).get<std::string>(), ways.at(r % 3));
      if (r % 3 < 2) QCOMPARE(recomputed, r % 3 == 0 ? 0.0 : prompt);
      const double kv_token = 2.0 * 2 * 256 * 2 / 1e6;  // two layers, keys and values, bf16
      QVERIFY(std::fabs(number("keys and values MB") - kv_token * (prompt - recomputed)) < 1e-9);
      QVERIFY(std::fabs(number("layer inputs MB") - kv_token / 2 * recomputed) < 1e-9);
      QVERIFY(std::fabs(number("keys and values MB") + number("layer inputs MB") - number("predicted MB")) < 1e-6);
      QVERIFY(number("ms") > 0 && number("predicted ms") > 0);
    }
    QVERIFY(results->front().findings.back().find("bit for bit") != std::string::npos);
  }

  void keysAndValuesNoLongerThanInputsAreRefused_data() {
    QTest::addColumn<QString>("figure");
    for (const char* figure : {"kvpr/fig7", "kvpr/context-load"}) QTest::newRow(figure) << figure;
  }
  void keysAndValuesNoLongerThanInputsAreRefused() {
    if (model_directory().empty()) QSKIP("no model here");
    QFETCH(QString, figure);
    const QString line = refusal({figure, "--model", text_of(model_directory())}, 3);
    // hidden 256; 4 KV heads of 32 numbers: as many bytes, or twice as many for the input where it is fp32.
    QVERIFY2(line.contains("partial recomputation column by column: a layer's input takes ") &&
                 line.contains("a token (hidden 256) and its key and value 512 B (2 x 4 KV heads x 32), so shipping "
                               "inputs cannot pay; "),
             qPrintable(line));
    QVERIFY2(line.contains(text_of(model_directory())), qPrintable(line));
  }

  void refusals_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("part");
    for (const char* figure : {"kvpr/table1", "kvpr/table2", "kvpr/table5", "kvpr/fig3", "kvpr/fig6", "kvpr/fig9",
                               "kvpr/fig10", "kvpr/fig12", "kvpr/fig13"})
      QTest::newRow(figure) << QStringList{figure, "--model", "/nonexistent"} << 2
                            << QString(
                                   "figure %1 takes no --model: it uses random weights; leave it out, or use it with a "
                                   "figure that takes it: kvpr/fig7, kvpr/context-load")
                                   .arg(figure);
    QTest::newRow("a table inside another") << QStringList{"kvpr/table4", "--model", "/nonexistent", "--budgets", "0.5"}
                                            << 2 << "figure kvpr/fig7 takes no --budgets";
    QTest::newRow("another name") << QStringList{"kvpr/fig8", "--model", "/nonexistent"} << 2
                                  << "figure kvpr/fig10 takes no --model";
    QTest::newRow("no such folder") << QStringList{"kvpr/fig7", "--model", "/nonexistent"} << 3 << "/nonexistent";
    QTest::newRow("a width as well") << QStringList{"kvpr/fig7", "--model", "/nonexistent", "--width", "256"} << 2
                                     << "figure kvpr/fig7 takes --model or --width, not both";
    QTest::newRow("too long") << QStringList{"kvpr/fig7", "--model", opt_, "--context-tokens", "220"} << 2
                              << "--context-tokens and --answer-tokens: 349 positions are more than " + opt_ +
                                     " has, 224; give fewer";
    QTest::newRow("a context too long") << QStringList{"kvpr/context-load", "--model", opt_, "--context-tokens", "224"}
                                        << 2
                                        << "--context-tokens: 225 positions are more than " + opt_ +
                                               " has, 224; give fewer";
    QTest::newRow("no prompts") << QStringList{"kvpr/fig7", "--prompt-form", "raw"} << 2
                                << "figure kvpr/fig7 takes no --prompt-form; leave it out";
    QTest::newRow("a length without a model")
        << QStringList{"kvpr/fig7", "--max-model-len", "100"} << 2
        << "--max-model-len: random weights have the positions that the figure needs; give --model as well";
    QTest::newRow("more than the model has")
        << QStringList{"kvpr/fig7", "--model", opt_, "--max-model-len", "100000"} << 3
        << "a maximum length of 100000 tokens is more than the model's 224 positions";
    QTest::newRow("a slow link") << QStringList{"kvpr/fig10", "--bandwidth", "0.5"} << 2
                                 << "--bandwidth: 0.5 is less than 1 MB/s; give more, or 0 for where";
    QTest::newRow("a step has no blocks")
        << QStringList{"kvpr/fig3", "--blocks", "2"} << 2 << "figure kvpr/fig3 takes no --blocks; leave it out";
    QTest::newRow("a context has no answer") << QStringList{"kvpr/context-load", "--answer-tokens", "8"} << 2
                                             << "figure kvpr/context-load takes no --answer-tokens; leave it out";
  }
  void refusals() {
    QFETCH(QStringList, words);
    QFETCH(int, code);
    QFETCH(QString, part);
    if (part.contains("positions are more") && !test::layer_inputs_are_short()) QSKIP(test::no_short_inputs);
    const QString line = refusal(words, code);
    QVERIFY2(line.contains(part), qPrintable(line));
  }
};

KV_TEST_GUILESS_MAIN(ReproduceModelTest)

}  // namespace reproduce_model_test

#include "reproduce_model_test.moc"
