// links: kv_runtime
// Means over a calibration text belong to the model that computed them: another one refuses them.
#include "core/runtime/observing.h"

#include <QtTest>

#include <filesystem>
#include <memory>

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
