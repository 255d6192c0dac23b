// links: core_train
// The default model, as a new user finds it: it reads in every family, and without the text it knows nothing. Few
// questions, so what is judged is whether they rule the promise out (95 % Wilson bounds); resources/model/MODEL_CARD.md
// has the many.
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/statistics.h"
#include "core/train/trainer.h"
#include "core/workload/families/families.h"
#include "tests/support/test_program.h"

namespace shipped_model_test {

using namespace kvantage;

namespace {

constexpr double promised_exact = 0.95, promised_tokens = 0.98, blind_margin = 0.05;

/// What a cell has against the model; empty when nothing.
QString complaint(const FamilyScore& score) {
  const auto share = [](std::size_t part, std::size_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
  };
  const QString cell = QString("%1 at %2 tokens, %3 of %4 right, %5 without the text")
                           .arg(score.family.c_str())
                           .arg(score.context_tokens)
                           .arg(score.exact)
                           .arg(score.questions)
                           .arg(score.exact_blind);
  // One wrong word in fifty lines makes a long answer wrong: its words are counted.
  if (score.family == "ledger" ? share(score.right_tokens, score.answer_tokens) < promised_tokens
                               : proportion_interval(score.exact, score.questions).high < promised_exact)
    return "does not read: " + cell;
  if (proportion_interval(score.exact_blind, score.questions).low >
      share(score.majority_answer, score.questions) + blind_margin)
    return "remembers: " + cell;
  return {};
}

TrainOptions asking(const std::filesystem::path& model, std::size_t questions) {
  TrainOptions options;
  options.out = model;
  options.probes = questions;
  options.seed = 20261121;
  options.device = "cpu";
  return options;
}

}  // namespace

class ShippedModelTest : public QObject {
  Q_OBJECT

 private slots:
  void readsAndDoesNotRemember_data() {
    QTest::addColumn<std::size_t>("tokens");
    QTest::addColumn<std::size_t>("questions");
    QTest::newRow("512 tokens") << std::size_t{512} << std::size_t{24};
    QTest::newRow("1,024 tokens") << std::size_t{1024} << std::size_t{12};
  }
  void readsAndDoesNotRemember() {
    QFETCH(std::size_t, tokens);
    QFETCH(std::size_t, questions);
    const auto scores =
        evaluate_model(asking(std::filesystem::path(KVANTAGE_SOURCE_DIR) / "resources" / "model", questions), {tokens});
    QVERIFY2(scores.has_value(), scores ? "" : scores.error().message.c_str());
    QCOMPARE(scores->size(), std::size_t{9});
    QStringList complaints;
    for (const FamilyScore& score : *scores) {
      QCOMPARE(score.questions, questions);
      qInfo("%-10s exact %zu of %zu, tokens %.4f, without the text %zu, most frequent %zu", score.family.c_str(),
            score.exact, score.questions,
            static_cast<double>(score.right_tokens) / static_cast<double>(score.answer_tokens), score.exact_blind,
            score.majority_answer);
      if (const QString text = complaint(score); !text.isEmpty()) complaints << text;
    }
    QVERIFY2(complaints.isEmpty(), qPrintable(complaints.join('\n')));
  }

  // The judge is no rubber stamp.
  void aModelThatCannotReadIsFoundOut() {
    const QTemporaryDir folder;
    TrainOptions options = asking(folder.path().toStdString() + "/fresh", 24);
    options.shape = {.hidden = 64, .layers = 2, .query_heads = 2, .kv_heads = 1, .head_dim = 32, .intermediate = 96};
    options.steps = 1;
    options.evaluate_minutes = 0;
    const SystemClock clock;
    QVERIFY(train_model(options, {}, clock).has_value());
    const auto scores = evaluate_model(options, {96});
    QVERIFY(scores.has_value());
    for (const FamilyScore& score : *scores)
      QVERIFY2(complaint(score).startsWith("does not read"), score.family.c_str());
  }

  void aModelThatRemembersIsFoundOut() {
    const FamilyScore remembering{.family = "story",
                                  .context_tokens = 512,
                                  .questions = 24,
                                  .exact = 24,
                                  .exact_blind = 12,
                                  .majority_answer = 3,
                                  .answer_tokens = 48,
                                  .right_tokens = 48};
    QVERIFY(complaint(remembering).startsWith("remembers"));
  }
};

KV_TEST_GUILESS_MAIN(ShippedModelTest)

}  // namespace shipped_model_test

#include "shipped_model_test.moc"
