// links: kv_runtime
// How far two readings of an answer are apart, by numbers of the test; and what a reading over a cache holds.
#include "core/runtime/teacher_forcing.h"

#include <QtTest>

#include <cmath>
#include <utility>

#include "tests/kv/plain_cache.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace teacher_forcing_test {

using namespace kvantage;
using namespace kvantage::test;

using Tokens = std::vector<std::int32_t>;

/// Probabilities of a vocabulary of three at each position.
ForcedReading reading_of(const std::vector<std::array<double, 3>>& rows) {
  ForcedReading reading;
  reading.positions = rows.size();
  for (const auto& row : rows)
    for (const double probability : row) reading.log_probabilities.push_back(static_cast<float>(std::log(probability)));
  return reading;
}

class TeacherForcingTest : public QObject {
  Q_OBJECT

  std::unique_ptr<ModelRuntime> runtime_;
  std::unique_ptr<KvCache> cache_;
  Tokens question_, answer_;

  int layers() const { return cache_->shape().layers; }
  std::size_t vocabulary() const { return static_cast<std::size_t>(runtime_->model->config().vocab_size); }
  void need_model() {
    if (cache_ != nullptr) return;
    runtime_ = ModelRuntime::load(model_directory()).value();
    cache_ = std::make_unique<KvCache>(*runtime_->pool);
    const Workload workload = small_workload(1, 8, 3);
    PrefillTask prefill(*runtime_->model, *cache_, runtime_->prompt->encode_context(workload.contexts[0].text), 0,
                        {.chunk_tokens = 256, .window_queries = 0, .logits = PrefillLogits::none});
    QVERIFY(prefill.run());
    question_ = runtime_->prompt->encode_question(workload.questions[0].question);
    answer_ = runtime_->tokenizer->encode(" 4721 is it");
    QVERIFY(answer_.size() > 2);
  }
  ForcedReading read(const Tokens& question, const Tokens& answer, bool ended) {
    return read_forced(*runtime_, *cache_, question, answer, ended).value();
  }
  /// Log-probabilities of the token that follows `tokens`, by a prefill that ends there.
  std::vector<double> following(const Tokens& tokens) {
    KvCache working = cache_->share();
    PrefillTask prefill(*runtime_->model, working, tokens, cache_->sequence_length(), {.logits = PrefillLogits::last});
    if (!prefill.run()) qFatal("prefill");
    std::vector<double> row(prefill.logits().begin(), prefill.logits().end());
    double sum = 0;
    for (const double logit : row) sum += std::exp(logit);
    for (double& logit : row) logit -= std::log(sum);
    return row;
  }

 private slots:
  void init() {
    const QByteArray test = QTest::currentTestFunction();
    if (test.startsWith("two")) return;
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
    need_model();
  }

  void twoReadingsAreComparedByMeanAndShare() {
    const ForcedReading p = reading_of({{0.5, 0.25, 0.25}, {0.125, 0.75, 0.125}, {0.4, 0.3, 0.3}});
    const ForcedReading q = reading_of({{0.25, 0.5, 0.25}, {0.125, 0.75, 0.125}, {0.8, 0.1, 0.1}});
    const LogitMetrics metrics = compare_readings(p, q);
    QCOMPARE(metrics.tokens, 3);
    const double first = 0.5 * std::log(2) - 0.25 * std::log(2);
    const double third = 0.4 * std::log(0.5) + 0.6 * std::log(3);
    QVERIFY(std::abs(metrics.kl_nats - (first + third) / 3) < 1e-6);
    QVERIFY(std::abs(metrics.top1_agreement - 2.0 / 3) < 1e-12);
    QVERIFY(std::abs(compare_readings(q, p).kl_nats - metrics.kl_nats) > 0.01);  // it has a direction
  }

  void twoReadingsThatAreEqualAreNotApart() {
    const ForcedReading p = reading_of({{0.7, 0.2, 0.1}, {0.1, 0.1, 0.8}});
    const LogitMetrics metrics = compare_readings(p, p);
    QCOMPARE(metrics.kl_nats, 0.0);
    QCOMPARE(metrics.top1_agreement, 1.0);
    // Log-probabilities that do not quite sum to 1, as rounding leaves them: the distance is never below 0.
    ForcedReading more = p;
    for (float& value : more.log_probabilities) value += 1e-4F;
    QCOMPARE(compare_readings(p, more).kl_nats, 0.0);
  }

  void twoReadingsOfDifferentLengthsAreComparedWhereBothAre() {
    const ForcedReading one = reading_of({{0.5, 0.25, 0.25}});
    const ForcedReading two = reading_of({{0.5, 0.25, 0.25}, {0.1, 0.1, 0.8}});
    QCOMPARE(compare_readings(one, two).tokens, 1);
    QCOMPARE(compare_readings(two, one).tokens, 1);
    QCOMPARE(compare_readings(two, one).kl_nats, 0.0);
    const LogitMetrics none = compare_readings({}, two);
    QVERIFY(none.tokens == 0 && none.kl_nats == 0 && none.top1_agreement == 1);
    QCOMPARE(compare_readings(two, {}).tokens, 0);
  }

  void anAnswersPositionsAndItsEnd_data() {
    QTest::addColumn<bool>("asked");
    QTest::addColumn<int>("answered");
    QTest::addColumn<bool>("ended");
    QTest::addColumn<int>("positions");
    QTest::newRow("ended: its end is one") << true << 3 << true << 4;
    QTest::newRow("cut: its last token predicts nothing") << true << 3 << false << 3;
    QTest::newRow("one token, cut") << true << 1 << false << 1;
    QTest::newRow("empty, ended at once") << true << 0 << true << 1;
    QTest::newRow("empty, cut") << true << 0 << false << 0;
    // What is before the first token is the cache's, which has no logits any more.
    QTest::newRow("without a question, ended") << false << 3 << true << 3;
    QTest::newRow("without a question, one token, cut") << false << 1 << false << 0;
    QTest::newRow("nothing at all") << false << 0 << true << 0;
  }
  void anAnswersPositionsAndItsEnd() {
    QFETCH(bool, asked);
    QFETCH(int, answered);
    QFETCH(bool, ended);
    QFETCH(int, positions);
    const Tokens answer(answer_.begin(), answer_.begin() + answered);
    const ForcedReading reading = read(asked ? question_ : Tokens{}, answer, ended);
    QCOMPARE(reading.positions, static_cast<std::size_t>(positions));
    QCOMPARE(reading.log_probabilities.size(), reading.positions * vocabulary());
    for (std::size_t position = 0; position < reading.positions; ++position) {
      double sum = 0;
      for (std::size_t token = 0; token < vocabulary(); ++token)
        sum += std::exp(static_cast<double>(reading.log_probabilities[position * vocabulary() + token]));
      QVERIFY2(std::abs(sum - 1) < 1e-4, qPrintable(QString::number(sum)));
    }
  }

  // In bf16 a prefill of another length rounds otherwise.
  void eachPositionIsWhatFollowsTheTokensBeforeIt() {
    const ForcedReading reading = read(question_, answer_, true);
    Tokens before = question_;
    for (std::size_t position = 0; position < reading.positions; ++position) {
      const std::vector<double> wanted = following(before);
      double distance = 0, probability = 0;
      for (std::size_t token = 0; token < vocabulary(); ++token) {
        probability = std::exp(static_cast<double>(reading.log_probabilities[position * vocabulary() + token]));
        distance += std::abs(probability - std::exp(wanted[token])) / 2;
      }
      QVERIFY2(distance < 0.05, qPrintable(QString("position %1: %2").arg(position).arg(distance)));
      if (position < answer_.size()) before.push_back(answer_[position]);
    }
  }

  void theCacheStaysAsItIs() {
    const auto rows = contents(*cache_);
    const std::int32_t length = cache_->sequence_length();
    const std::size_t blocks = runtime_->pool->live_blocks();
    (void)read(question_, answer_, true);
    QVERIFY(contents(*cache_) == rows);
    QCOMPARE(cache_->sequence_length(), length);
    QCOMPARE(runtime_->pool->live_blocks(), blocks);
  }

  void aReadingIsStoppedBetweenLayers() {
    for (int stop_at = 1; stop_at <= layers(); ++stop_at) {
      int asked = 0;
      const auto reading =
          read_forced(*runtime_, *cache_, question_, answer_, true, [&] { return ++asked == stop_at; });
      if (stop_at == layers()) {  // the last layer was computed: nothing is left to give up
        QVERIFY(reading.has_value());
        QCOMPARE(asked, layers() - 1);
      } else {
        QVERIFY(!reading && reading.error().code == ErrorCode::cancelled);
        QCOMPARE(asked, stop_at);
      }
    }
  }

  void aStepWithoutRoomMayBeTriedAgain() {
    BlockPool& pool = *runtime_->pool;
    ForcedReadTask task(*runtime_, *cache_, question_, answer_, true);
    std::vector<BlockId> held;
    int steps = 0, refused = 0;
    for (; !task.done(); ++steps) {
      while (pool.free_blocks() > 0) held.push_back(pool.allocate().value());
      const Status status = task.step();
      for (const BlockId block : std::exchange(held, {})) pool.release(block);
      if (status) continue;
      QCOMPARE(status.error().code, ErrorCode::no_space);
      ++refused;
      QVERIFY(task.step());
    }
    QCOMPARE(steps, layers());
    QVERIFY(refused > 0);
    QVERIFY(task.take().log_probabilities == read(question_, answer_, true).log_probabilities);
    QVERIFY(task.step() && task.done());  // there is nothing more to do
  }

  void withoutAContextThereIsThePromptsFormAlone() {
    const KvCache cache = cache_without_context(*runtime_).value();
    const Tokens tokens = runtime_->prompt->encode_context("");
    KvCache wanted(*runtime_->pool);
    PrefillTask prefill(*runtime_->model, wanted, tokens, 0, {.chunk_tokens = 256, .logits = PrefillLogits::none});
    QVERIFY(tokens.empty() || prefill.run());
    QVERIFY(contents(cache) == contents(wanted));
    QCOMPARE(cache.sequence_length(), static_cast<std::int32_t>(tokens.size()));
    int asked = 0;
    const auto stopped = cache_without_context(*runtime_, [&] { return ++asked == 2; });
    QVERIFY(!stopped && stopped.error().code == ErrorCode::cancelled);
    QCOMPARE(asked, 2);
  }
};

KV_TEST_GUILESS_MAIN(TeacherForcingTest)

}  // namespace teacher_forcing_test

#include "teacher_forcing_test.moc"
