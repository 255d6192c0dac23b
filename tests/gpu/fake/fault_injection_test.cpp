// links: kv_base kv_tiers kv_gpu_offload kv_gpu_device test_fake_cuda
// Every call of CUDA's runtime fails in turn, or loses the device, until a run has no such call left: of the device
// tier's store and of KVPR's layers. Nothing leaks, no rule of CUDA is broken, no access races, no wrong byte is
// served, and what failed once works the next time.
#include <QtTest>
#undef slots  // Qt's word, and a member of the paged heads; Q_SLOTS says the same

#include <malloc.h>

#include <limits>

#include "gpu/offload/offloaded_layers.h"
#include "tests/gpu/fake/tier_script.h"

using namespace kvantage;
using namespace kvantage::testing;

namespace {

constexpr gpu::OffloadShape shape{
    .layers = 3, .kv_heads = 1, .group = 1, .head_dim = 32, .hidden = 64, .tokens = 64, .page_tokens = 32};

/// What is wrong with an error that users see; empty: nothing.
Complaint wrong_with(const Error& error, std::initializer_list<ErrorCode> codes) {
  if (std::ranges::find(codes, error.code) == codes.end()) return "an unexpected kind of error: " + error.message;
  if (error.message.empty() || error.message.find('\n') != std::string::npos) return "not one line: " + error.message;
  return {};
}

Complaint left_behind() {
  const FakeCuda& fake = fake_cuda();
  if (!fake.nothing_left())
    return std::to_string(fake.streams) + " streams, " + std::to_string(fake.events) + " events, " +
           std::to_string(fake.allocations) + " allocations and " + std::to_string(fake.pins) + " pins are left";
  if (fake.broken_rules != 0) return "a rule of CUDA is broken";
  const std::vector<Race> races = fake.races();
  return races.empty() ? Complaint() : races[0].earlier + " races with " + races[0].later;
}

struct Sweep {
  int faults = 0, with_errors = 0;
  Complaint wrong;  // of the first fault after which something is
};

/// Injects the fault at the first call of the kind, then at the second, and so on until none is reached. `run` returns
/// what is wrong, and sets whether it saw an error.
template <class Run>
Sweep sweep(CudaCall call, bool loses, const Run& run) {
  Sweep made;
  for (;; ++made.faults) {
    fake_cuda().reset(made.faults % 2 == 0 ? Lateness::drawn : Lateness::latest,
                      static_cast<std::uint64_t>(made.faults));
    fake_cuda().begin_trace();
    fake_cuda().inject(call, made.faults, loses);
    bool failed = false, saw_error = false;
    made.wrong = run(failed, saw_error);
    if (made.wrong.empty()) made.wrong = left_behind();
    if (!made.wrong.empty()) {
      made.wrong = "fault " + std::to_string(made.faults) + ": " + made.wrong;
      return made;
    }
    if (!failed) return made;
    if (saw_error) ++made.with_errors;
  }
}

/// Nothing is injected anymore; whether a fault happened before.
bool end_of_faults() {
  const bool failed = fake_cuda().has_failed();
  fake_cuda().inject(CudaCall::any, -1);
  return failed;
}

void kinds_of_calls() {
  QTest::addColumn<int>("call");
  QTest::addColumn<bool>("loses");
  QTest::addColumn<int>("min_errors");
  QTest::newRow("the device is not available") << int(CudaCall::device) << false << 1;
  QTest::newRow("no memory") << int(CudaCall::allocate) << false << 1;
  QTest::newRow("no page-locked memory") << int(CudaCall::pin) << false << 0;
  QTest::newRow("no stream or event") << int(CudaCall::create) << false << 4;
  QTest::newRow("an event is not recorded") << int(CudaCall::record) << false << 6;
  QTest::newRow("a stream does not wait") << int(CudaCall::hold) << false << 0;
  QTest::newRow("a copy is refused") << int(CudaCall::copy) << false << 6;
  QTest::newRow("a launch is refused") << int(CudaCall::launch) << false << 1;
  QTest::newRow("a wait reports a fault of the device") << int(CudaCall::wait) << false << 6;
  QTest::newRow("a time is not available") << int(CudaCall::time) << false << 3;
  QTest::newRow("the device is lost") << int(CudaCall::any) << true << 40;
}

}  // namespace

class FaultInjectionTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    // Every run takes and gives back the same tens of MiB: the process keeps them, cleared once.
    ::mallopt(M_MMAP_MAX, 0);
    ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  }
  void init() { fake_cuda().reset(); }

  void theTierOutlivesEveryFault_data() { kinds_of_calls(); }
  void theTierOutlivesEveryFault() {
    QFETCH(int, call);
    QFETCH(bool, loses);
    QFETCH(int, min_errors);
    TierScript script;
    const Sweep made = sweep(static_cast<CudaCall>(call), loses, [&](bool& failed, bool& saw_error) -> Complaint {
      const auto [first, second] = script.run_twice([&] { failed = end_of_faults(); });
      saw_error = !first.errors.empty();
      const bool lost = fake_cuda().is_lost();
      for (const ScriptOutcome* const outcome : {&first, &second}) {
        if (outcome->wrong > 0) return "wrong bytes are served";
        for (const Error& error : outcome->errors)
          if (Complaint wrong = wrong_with(error, {ErrorCode::io, ErrorCode::no_space, ErrorCode::not_found});
              !wrong.empty())
            return wrong;
      }
      if (!failed && (saw_error || first.served != TierScript::reads)) return "an error without a fault";
      if (lost && (second.errors.empty() || second.served > 0)) return "a lost device is not reported";
      if (!lost && (!second.errors.empty() || second.served != TierScript::reads))
        return "what failed once fails again: " + (second.errors.empty() ? "" : second.errors[0].message);
      return {};
    });
    QVERIFY2(made.wrong.empty(), made.wrong.c_str());
    qInfo("%d faults, %d with errors", made.faults, made.with_errors);
    QVERIFY(made.with_errors >= min_errors && (made.faults > 0 || call == int(CudaCall::hold)));
  }

  void openingOutlivesEveryFault() {
    const Sweep made = sweep(CudaCall::any, false, [&](bool& failed, bool& saw_error) -> Complaint {
      fake_cuda().copies_move_bytes = false;  // those that time the link: 256 MiB an opening, whose bytes nobody reads
      for (const bool again : {false, true}) {
        auto memory = gpu::open_cuda_memory();
        auto opened = memory ? gpu::DeviceAccelerator::open(std::make_shared<TracedMemory>(std::move(*memory)))
                             : Expected<std::unique_ptr<Accelerator>>(tl::unexpected(memory.error()));
        if (again && opened.has_value() == fake_cuda().is_lost()) return "not as the device is";
        if (!again) saw_error = !opened;
        if (!opened)
          if (Complaint wrong = wrong_with(opened.error(), {ErrorCode::io, ErrorCode::no_space, ErrorCode::not_found});
              !wrong.empty())
            return wrong;
        if (!again) failed = end_of_faults();
      }
      return !failed && saw_error ? "an error without a fault" : "";
    });
    QVERIFY2(made.wrong.empty(), made.wrong.c_str());
    QVERIFY(made.faults > 40 && made.with_errors > 40);
  }

  void offloadedLayersOutliveEveryFault_data() { kinds_of_calls(); }
  void offloadedLayersOutliveEveryFault() {
    QFETCH(int, call);
    QFETCH(bool, loses);
    const std::vector<std::uint16_t> queries(
        static_cast<std::size_t>(shape.layers * shape.kv_heads * shape.group * shape.head_dim), 3);
    std::vector<std::uint16_t> expected;
    {
      auto layers = gpu::OffloadedLayers::random(shape, 5);
      QVERIFY(layers && layers->step(shape.page_tokens, queries, expected));
    }
    const Sweep made = sweep(static_cast<CudaCall>(call), loses, [&](bool& failed, bool& saw_error) -> Complaint {
      auto layers = gpu::OffloadedLayers::random(shape, 5);
      std::vector<Error> errors;
      if (!layers) errors.push_back(layers.error());
      for (int round = 0; round < 2; ++round) {
        if (round == 1) failed = end_of_faults();
        if (!layers && round == 1) layers = gpu::OffloadedLayers::random(shape, 5);
        if (!layers) continue;
        std::vector<std::uint16_t> outputs;
        const auto step = layers->step(shape.page_tokens, queries, outputs);
        if (step && outputs != expected) return "other outputs";
        if (round == 1 && step.has_value() == fake_cuda().is_lost()) return "not as the device is";
        if (!step && round == 0) errors.push_back(step.error());
      }
      saw_error = !errors.empty();
      for (const Error& error : errors)
        if (Complaint wrong = wrong_with(error, {ErrorCode::internal, ErrorCode::no_space}); !wrong.empty())
          return wrong;
      return failed == saw_error ? "" : "an error without a fault, or a fault without an error";
    });
    QVERIFY2(made.wrong.empty(), made.wrong.c_str());
    qInfo("%d faults, %d with errors", made.faults, made.with_errors);
    QVERIFY(made.faults > 0 || call == int(CudaCall::device));
  }
};

QTEST_GUILESS_MAIN(FaultInjectionTest)
#include "fault_injection_test.moc"
