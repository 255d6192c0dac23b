// links: kv_runtime
// Means over a calibration text belong to the model that computed them: another one refuses them.
#include "core/runtime/observing.h"

#include <QtTest>

#include <cstring>
#include <filesystem>
#include <memory>

#include "core/model/recompute.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace observing_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr ObservationNeeds calibration{.calibration = true};

std::filesystem::path other_model() { return source_directory() / "resources" / "reference-mha"; }

std::unique_ptr<ModelRuntime> loaded(const std::filesystem::path& folder) {
  auto runtime = ModelRuntime::load(folder, {.pool_bytes = std::uint64_t{64} << 20, .name = {}, .load = {}});
  if (!runtime) qFatal("%s", runtime.error().message.c_str());
  return std::move(*runtime);
}

/// Of no context: calibration reads its own text.
Status calibrate(ModelRuntime& runtime, Observation& observed) {
  const KvCache nothing(*runtime.pool);
  return complete_observation(runtime, nothing, {}, calibration, observed);
}

}  // namespace

class ObservingTest : public QObject {
  Q_OBJECT

  std::unique_ptr<ModelRuntime> first_, second_;
  Observation observed_;  // by the first model

  static void check_refused(const Status& status, const Digest128& theirs, const Digest128& own) {
    QVERIFY(!status);
    QVERIFY(status.error().code == ErrorCode::rejected_input);
    const std::string& message = status.error().message;
    QVERIFY2(message.find("another model, " + theirs.hex()) != std::string::npos, message.c_str());
    QVERIFY2(message.find(own.hex()) != std::string::npos, message.c_str());
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty() || !std::filesystem::exists(other_model() / "model.safetensors"))
      QSKIP("two models are wanted: resources/model or resources/reference-mha is not there");
    first_ = loaded(model_directory());
    second_ = loaded(other_model());
    QVERIFY(first_->digest() != second_->digest());
    const Status status = calibrate(*first_, observed_);
    QVERIFY2(status.has_value(), status ? "" : status.error().message.c_str());
  }
  void init() { second_->calibration = {}; }

  void meansHoldTheDigestOfTheirModel() {
    QVERIFY(!observed_.calibration.empty());
    QVERIFY(observed_.calibration.model == first_->digest());
    QVERIFY(first_->calibration.model == first_->digest());
    QCOMPARE(observed_.calibration.layers.size(), static_cast<std::size_t>(first_->model->config().layers));
    Observation again = observed_;
    QVERIFY(calibrate(*first_, again).has_value());
    QVERIFY(again.calibration.layers.front().real == observed_.calibration.layers.front().real);
  }

  void anotherModelRefusesAnObservation() {
    Observation theirs = observed_;
    check_refused(calibrate(*second_, theirs), first_->digest(), second_->digest());
    QVERIFY(second_->calibration.empty());
    // What needs no calibration does not look at it.
    const KvCache nothing(*second_->pool);
    QVERIFY(complete_observation(*second_, nothing, {}, {}, theirs).has_value());
  }

  void anotherModelRefusesWhatWasPutInItsPlace() {
    second_->calibration = observed_.calibration;
    Observation fresh;
    check_refused(calibrate(*second_, fresh), first_->digest(), second_->digest());
    QVERIFY(fresh.calibration.empty());
  }

  // The key projection of the hidden states, with norm and rotation, is what the prefill put into the cache.
  void hiddenStatesAreTheInputsOfEveryLayer() {
    ModelRuntimeOptions options{.pool_bytes = std::uint64_t{64} << 20, .name = {}, .load = {}};
    options.load.compute = ComputeType::fp32;
    options.load.kv_type = KvType::fp32;
    auto runtime = ModelRuntime::load(model_directory(), options);
    QVERIFY(runtime.has_value());
    Transformer& model = *(*runtime)->model;
    const int chunk = (*runtime)->chunk_tokens(), tokens = chunk + 40;
    std::vector<std::int32_t> ids;
    for (int t = 0; t < tokens; ++t) ids.push_back(5 + t % 90);
    KvCache cache(*(*runtime)->pool);
    PrefillTask prefill(model, cache, ids, 0, {.chunk_tokens = chunk, .logits = PrefillLogits::none});
    QVERIFY(prefill.run().has_value());
    Observation observed;
    const ObservationNeeds needs{.hidden_states = true, .output_norms = true};
    QVERIFY(complete_observation(**runtime, cache, ids, needs, observed).has_value());
    QVERIFY(observed.meets(needs, tokens));
    const HiddenStates& states = observed.hidden_states;
    QCOMPARE(states.hidden, model.config().hidden);
    KvRecompute recompute(model, chunk);
    const KvShape shape = model.kv_shape();
    const auto width = static_cast<std::size_t>(states.hidden), dim = static_cast<std::size_t>(shape.head_dim);
    for (int l = 0; l < shape.layers; ++l) {
      const auto& layer = states.layers[static_cast<std::size_t>(l)];
      QCOMPARE(layer.size(), static_cast<std::size_t>(tokens) * width);
      const auto rows = std::as_bytes(std::span(layer).first(static_cast<std::size_t>(chunk) * width));
      QVERIFY(recompute.run(l, rows, 0, chunk).has_value());
      std::vector<float> again(recompute.keys().size() / sizeof(float));
      std::memcpy(again.data(), recompute.keys().data(), recompute.keys().size());
      for (int h = 0; h < shape.kv_heads; ++h) {
        std::vector<float> keys(static_cast<std::size_t>(tokens) * dim);
        cache.gather_head(l, h, reinterpret_cast<std::byte*>(keys.data()), nullptr, nullptr);
        for (std::size_t t = 0; t < static_cast<std::size_t>(chunk); ++t)
          for (std::size_t c = 0; c < dim; ++c)
            QCOMPARE(keys[t * dim + c],
                     again[(t * static_cast<std::size_t>(shape.kv_heads) + static_cast<std::size_t>(h)) * dim + c]);
      }
    }
    // No root of squares exceeds a sum of absolute values.
    for (const OutputNorms::Layer& layer : observed.output_norms.layers)
      for (std::size_t i = 0; i < layer.absolute.size(); ++i)
        QVERIFY(layer.euclidean[i] > 0 && layer.euclidean[i] <= layer.absolute[i]);
    // What is there is not observed again.
    const float* const first = states.layers.front().data();
    QVERIFY(complete_observation(**runtime, cache, ids, needs, observed).has_value());
    QVERIFY(observed.hidden_states.layers.front().data() == first);
  }

  // Means that hold no digest are nobody's.
  void meansWithoutADigestAreRefused() {
    Observation unknown = observed_;
    unknown.calibration.model = {};
    check_refused(calibrate(*first_, unknown), Digest128{}, first_->digest());
  }
};

KV_TEST_GUILESS_MAIN(ObservingTest)

}  // namespace observing_test

#include "observing_test.moc"
