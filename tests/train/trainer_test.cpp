// links: core_train kvantage::torch
// A training as a whole, on a tiny network: the same seed gives the same bytes whatever the threads, a training that
// was stopped and resumed gives the bytes of one that was not, weights alone are enough to continue from, and
// libtorch's own operations (what a GPU runs) learn what the kernels learn.
#include <ATen/ATen.h>
#include <QtTest>

#include <cmath>
#include <limits>

#include "core/base/files.h"
#include "core/train/evaluation.h"
#include "core/train/shape_file.h"
#include "core/train/trainer.h"
#include "core/workload/families/lexicon.h"
#include "tests/support/test_program.h"

namespace trainer_test {

using namespace kvantage;

namespace {

using Change = std::function<void(TrainOptions&)>;

TrainOptions tiny(const QTemporaryDir& folder, const char* name, std::int64_t steps) {
  TrainOptions options;
  options.out = (folder.path() + "/" + name).toStdString();
  options.steps = steps;
  options.evaluate_minutes = 0;
  options.decay_fraction = 0;
  options.shape = {.hidden = 64, .layers = 2, .query_heads = 2, .kv_heads = 1, .head_dim = 32, .intermediate = 96};
  return options;
}

TrainProgress trained(const TrainOptions& options, const TrainHooks& hooks = {}) {
  const SystemClock clock;
  const auto last = train_model(options, hooks, clock);
  if (!last) qFatal("%s", last.error().message.c_str());
  return *last;
}

QByteArray weights(const TrainOptions& options) {
  QFile file(QString::fromStdString((options.out / "model.safetensors").string()));
  return file.open(QFile::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

class TrainerTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

 private slots:
  void aSeedGivesTheSameBytesWhateverTheThreads() {
    TrainOptions one = tiny(folder_, "one", 12), two = tiny(folder_, "two", 12), other = tiny(folder_, "other", 12);
    one.threads = 1;
    other.seed = 2;
    trained(one), trained(two), trained(other);
    QVERIFY(!weights(one).isEmpty());
    QVERIFY(weights(one) == weights(two));
    QVERIFY(weights(one) != weights(other));
  }

  void aStoppedTrainingResumesAsIfItHadNotBeen() {
    const TrainOptions whole = tiny(folder_, "whole", 16);
    trained(whole);
    TrainOptions parts = tiny(folder_, "parts", 16);
    int asked = 0;
    trained(parts, {.progress = nullptr, .cancelled = [&asked] { return ++asked > 7; }});
    QVERIFY(weights(parts) != weights(whole));
    parts.resume = parts.out;
    const TrainProgress last = trained(parts);
    QCOMPARE(last.step, 16);
    QVERIFY(weights(parts) == weights(whole));
  }

  // Stopped while it evaluates: no scores, but a checkpoint.
  void evaluationsEndWithTheirTraining() {
    TrainOptions options = tiny(folder_, "ended", 3);
    options.evaluate_minutes = 1;
    options.probes = 40;
    int asked = 0;
    const TrainProgress last = trained(options, {.progress = nullptr, .cancelled = [&asked] { return ++asked > 12; }});
    QVERIFY(asked > 12 && asked < 20);
    QVERIFY(last.checkpointed && last.scores.empty() && last.step == 3);
    QVERIFY(!weights(options).isEmpty());
  }

  void weightsAloneAreEnoughToContinueFrom() {
    const TrainOptions first = tiny(folder_, "alone", 60);
    const double fresh = trained(tiny(folder_, "fresh", 5)).loss;
    trained(first);
    QVERIFY(QFile::remove(QString::fromStdString((first.out / "training_state.safetensors").string())));
    TrainOptions second = tiny(folder_, "second", 5);
    second.resume = first.out;
    second.first_length = 64;
    const double resumed = trained(second).loss;
    QVERIFY2(resumed < 0.9 * fresh, qPrintable(QString("%1 after %2").arg(resumed).arg(fresh)));
  }

  // The folder says what the model looks like, also where heads are not hidden / heads wide.
  void aFolderTellsItsShape() {
    TrainOptions narrow = tiny(folder_, "narrow", 1);
    narrow.shape.head_dim = 16;
    narrow.shape.max_positions = 300;
    narrow.max_length = 300;
    trained(narrow);
    const auto shape = read_shape(narrow.out);
    QVERIFY2(shape.has_value(), shape ? "" : shape.error().message.c_str());
    QVERIFY(shape->hidden == 64 && shape->layers == 2 && shape->query_heads == 2 && shape->kv_heads == 1 &&
            shape->head_dim == 16 && shape->intermediate == 96 && shape->max_positions == 300);
    TrainOptions unaware;
    unaware.out = narrow.out;
    unaware.resume = narrow.out;
    unaware.evaluate_minutes = 0;
    unaware.max_length = 300;
    unaware.steps = 2;
    QCOMPARE(trained(unaware).step, 2);
    unaware.probes = 1;
    QVERIFY(evaluate_model(unaware, {64}).has_value());
    unaware.max_length = 301;  // past the positions of the folder, not of a new model
    const SystemClock clock;
    QCOMPARE(train_model(unaware, {}, clock).error().code, ErrorCode::usage);
    QCOMPARE(read_shape(std::filesystem::path(KVANTAGE_SOURCE_DIR) / "docs").error().code, ErrorCode::rejected_input);
  }

  // In the last part of a training, keys learn which tokens will be asked for.
  void keysLearnFutureAttention() {
    TrainOptions options = tiny(folder_, "keys", 60);
    options.future.weight = 0.3;
    options.future.fraction = 1;
    options.resume.clear();
    std::vector<double> losses;
    TrainOptions first = options;
    first.steps = 20;
    first.out = options.out / "begun";
    const ManualClock still;  // reports come by time: here only the last, with means over all steps
    for (const TrainOptions& training : {first, options})
      losses.push_back(train_model(training, {}, still).value().key_loss.value());
    QVERIFY2(losses[1] < losses[0] - 0.02, qPrintable(QString("%1 after %2").arg(losses[1]).arg(losses[0])));
    TrainOptions without = tiny(folder_, "no keys", 3);
    QVERIFY(!trained(without).key_loss);
    // The part begins where its share does.
    options.out = options.out / "late";
    options.steps = 20;
    options.future.fraction = 0;
    QVERIFY(!trained(options).key_loss);
  }

  void moreTokensAStepAreSeen() {
    TrainOptions one = tiny(folder_, "factor1", 3), four = tiny(folder_, "factor4", 3);
    four.batch_factor = 4;
    QCOMPARE(trained(four).tokens, 4 * trained(one).tokens);
  }

  void weightsAloneContinueAtTheGreatestLength() {
    const TrainOptions first = tiny(folder_, "brief", 1);
    QCOMPARE(trained(first).length, 64u);
    QVERIFY(QFile::remove(QString::fromStdString((first.out / "training_state.safetensors").string())));
    TrainOptions second = tiny(folder_, "brief2", 1);
    second.resume = first.out;
    second.max_length = 384;
    QCOMPARE(trained(second).length, 384u);
    second.first_length = 128;
    QCOMPARE(trained(second).length, 128u);
  }

  void aFolderWithoutAModelIsRefused() {
    TrainOptions options = tiny(folder_, "nothing", 5);
    options.resume = "/nonexistent/model";
    const SystemClock clock;
    const auto refused = train_model(options, {}, clock);
    QVERIFY(!refused && refused.error().message.find("/nonexistent/model") != std::string::npos);
  }

  void settingsThatCannotWorkAreRefused_data() {
    QTest::addColumn<Change>("change");
    QTest::addColumn<QString>("word");
    const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
    const auto row = [](const char* name, const char* word, const Change& change) {
      QTest::newRow(name) << change << QString(word);
    };
    row("minutes nan", "--minutes", [=](TrainOptions& o) { o.minutes = nan; });
    row("minutes without end", "--minutes", [=](TrainOptions& o) { o.minutes = inf; });
    row("minutes negative", "--minutes", [](TrainOptions& o) { o.minutes = -1; });
    row("steps negative", "--steps", [](TrainOptions& o) { o.steps = -1; });
    row("no limit", "--steps", [](TrainOptions& o) { o.steps = 0; });
    row("checkpoints negative", "--checkpoint-minutes", [](TrainOptions& o) { o.checkpoint_minutes = -1; });
    row("evaluations nan", "--evaluate-minutes", [=](TrainOptions& o) { o.evaluate_minutes = nan; });
    row("rate nan", "--matrix-rate", [=](TrainOptions& o) { o.matrix_rate = nan; });
    row("rate negative", "--matrix-rate", [](TrainOptions& o) { o.matrix_rate = -0.01; });
    row("other rate infinite", "--other-rate", [=](TrainOptions& o) { o.other_rate = inf; });
    row("decay nan", "--decay-fraction", [=](TrainOptions& o) { o.decay_fraction = nan; });
    row("accuracy over 1", "--first-accuracy", [](TrainOptions& o) { o.growth.first_accuracy = 1.5; });
    row("accuracy nan", "--later-accuracy", [=](TrainOptions& o) { o.growth.later_accuracy = nan; });
    row("no width", "hidden 0", [](TrainOptions& o) { o.shape.hidden = 0; });
    row("odd width", "hidden 65", [](TrainOptions& o) { o.shape.hidden = 65; });
    row("no layers", "layers 0", [](TrainOptions& o) { o.shape.layers = 0; });
    row("no intermediate", "intermediate 0", [](TrainOptions& o) { o.shape.intermediate = 0; });
    row("intermediate negative", "intermediate -3", [](TrainOptions& o) { o.shape.intermediate = -3; });
    row("no kv heads", "kv-heads 0", [](TrainOptions& o) { o.shape.kv_heads = 0; });
    row("heads in no groups", "3 heads", [](TrainOptions& o) { o.shape.query_heads = 3, o.shape.kv_heads = 2; });
    row("short heads", "head-dim 3", [](TrainOptions& o) { o.shape.head_dim = 3; });
    row("first length short", "--first-length", [](TrainOptions& o) { o.first_length = 0; });
    row("lengths backward", "--max-length", [](TrainOptions& o) { o.first_length = 512, o.max_length = 256; });
    row("past the positions", "--max-length", [](TrainOptions& o) { o.max_length = 1 << 20; });
    row("no threads", "--threads", [](TrainOptions& o) { o.threads = 0; });
    row("no sequences", "--batch-factor", [](TrainOptions& o) { o.batch_factor = 0; });
    row("weight negative", "--future-attention", [](TrainOptions& o) { o.future.weight = -1; });
    row("share over 1", "--future-fraction", [](TrainOptions& o) { o.future.fraction = 1.5; });
    row("no questions", "--probes", [](TrainOptions& o) { o.probes = 0; });
    row("no text", "--evaluate-tokens", [](TrainOptions& o) { o.context_tokens = 0, o.evaluate_minutes = 1; });
  }
  void settingsThatCannotWorkAreRefused() {
    QFETCH(Change, change);
    QFETCH(QString, word);
    TrainOptions options = tiny(folder_, "refused", 1);
    change(options);
    const SystemClock clock;
    const auto refused = train_model(options, {}, clock);
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::usage);
    QVERIFY2(refused.error().message.starts_with(word.toStdString()) ||
                 refused.error().message.starts_with("shape: " + word.toStdString()),
             refused.error().message.c_str());
    QVERIFY(!std::filesystem::exists(options.out));
  }

  void evaluationsOfNothingAreRefused() {
    const TrainOptions options = tiny(folder_, "unread", 1);
    trained(options);
    for (const std::vector<std::size_t>& lengths : {std::vector<std::size_t>{}, {0}, {512, 63}, {8193}})
      QCOMPARE(evaluate_model(options, lengths).error().code, ErrorCode::usage);
  }

  // Steps far too wide end in weights that are no numbers; the folder keeps what it had.
  void aModelThatFellApartIsNotSaved() {
    TrainOptions options = tiny(folder_, "apart", 2);
    trained(options);
    const QByteArray before = weights(options);
    options.resume = options.out;
    options.steps = 6;
    options.other_rate = 1e38;
    const SystemClock clock;
    const auto fell = train_model(options, {}, clock);
    QVERIFY(!fell);
    QVERIFY2(fell.error().message.find("smaller learning rates") != std::string::npos, fell.error().message.c_str());
    QVERIFY(!before.isEmpty() && weights(options) == before);
  }

  void weightsOfAnImpossibleShapeAreRefused() {
    TrainOptions options = tiny(folder_, "shapes", 1);
    trained(options);
    std::filesystem::remove(options.out / "training_state.safetensors");
    options.resume = options.out;
    for (const char* shape : {"[-1,-4]", "[4294967296,4294967296,4294967296]", "[0,9223372036854775807]"}) {
      const std::string header = R"({"a":{"dtype":"F32","shape":)" + std::string(shape) + R"(,"data_offsets":[0,4]}})";
      std::ofstream file(options.out / "model.safetensors", std::ios::binary);
      const std::uint64_t length = header.size();
      file.write(reinterpret_cast<const char*>(&length), sizeof length);
      file << header << "four";
      file.close();
      const SystemClock clock;
      const auto refused = train_model(options, {}, clock);
      QVERIFY(!refused);
      QVERIFY2(refused.error().message.find("impossible shape") != std::string::npos, refused.error().message.c_str());
    }
  }

  void devicesAreKnownByName() {
    QVERIFY(train_device("cpu")->type == at::kCPU);
    QCOMPARE(train_device("tpu").error().code, ErrorCode::usage);
    if (at::hasCUDA())
      QVERIFY(train_device("cuda")->type == at::kCUDA);
    else
      QCOMPARE(train_device("cuda").error().code, ErrorCode::usage);
    QVERIFY(train_device("auto").has_value());
  }

  // What a GPU runs, on the CPU: the same losses and gradients but for the order of sums in bf16.
  void plainStepsLearnWhatTheKernelsLearn() {
    const TrainShape shape = tiny(folder_, "shape", 1).shape;
    const TokenizerSpec tokenizer = build_tokenizer(lexicon_pieces());
    const ExampleMaker examples(tokenizer, {});
    Random random(5);
    Workers workers(1, [] {});
    const auto batch = examples.make(8, 128, false, random, workers);
    QVERIFY(batch.has_value());
    double total = 0;
    for (const float weight : batch->weights) total += static_cast<double>(weight);
    std::vector<at::Tensor> gradients[2];
    double losses[2];
    for (const auto steps : {Network::Steps::own_kernels, Network::Steps::plain}) {
      const Network network(shape, tokenizer.tokens.size(), 3, at::kCPU, steps);
      const auto which = static_cast<std::size_t>(steps);
      const Network::Leaves leaves = network.leaves(network.working_copies(), true);
      const auto result = network.loss(leaves, *batch, 0, 8, total);
      result.loss.backward();
      losses[which] = result.loss.item<double>();
      gradients[which] = network.gradients(leaves);
      QVERIFY(result.answer_tokens > 0);
    }
    QVERIFY2(std::abs(losses[0] / losses[1] - 1) < 2e-3, qPrintable(QString("%1, %2").arg(losses[0]).arg(losses[1])));
    for (std::size_t i = 0; i < gradients[0].size(); ++i) {
      const double difference = (gradients[0][i] - gradients[1][i]).norm().item<double>();
      const double size = gradients[1][i].norm().item<double>();
      QVERIFY2(difference < 0.05 * size,
               qPrintable(QString("parameter %1: %2 of %3").arg(i).arg(difference).arg(size)));
    }
  }

  // Scores are of answers: a fresh network knows none, and every cell has its questions.
  void evaluationCountsWhatItAsked() {
    TrainOptions options = tiny(folder_, "asked", 1);
    trained(options);
    options.probes = 5;
    const auto scores = evaluate_model(options, {96});
    QVERIFY(scores.has_value());
    QCOMPARE(scores->size(), families().size());
    for (const FamilyScore& score : *scores) {
      QCOMPARE(score.questions, 5u);
      QCOMPARE(score.exact, 0u);
      QVERIFY(score.majority_answer >= 1 && score.answer_tokens >= 10 && score.right_tokens < score.answer_tokens);
    }
    // Cells are reported as they are done, and an evaluation can be ended between questions.
    std::size_t told = 0;
    const auto ended =
        evaluate_model(options, {96, 128},
                       {.cell = [&told](const FamilyScore&) { ++told; }, .cancelled = [&told] { return told >= 3; }});
    QVERIFY(!ended && ended.error().code == ErrorCode::cancelled);
    QCOMPARE(told, 3u);
    options.probes = 0;
    QCOMPARE(evaluate_model(options, {96}).error().code, ErrorCode::usage);
    options.evaluate_minutes = 1;
    const SystemClock clock;
    QCOMPARE(train_model(options, {}, clock).error().code, ErrorCode::usage);
  }
};

KV_TEST_GUILESS_MAIN(TrainerTest)

}  // namespace trainer_test

#include "trainer_test.moc"
