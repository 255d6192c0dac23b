// links: kv_base kv_tiers kv_gpu_offload kv_gpu_device test_fake_cuda
// Copies, kernels and the host order every access to shared memory: of the device tier's store and of KVPR's double
// buffering, over drawn interleavings and with work as late as possible. Without their waits, the trace has races.
#include <QtTest>
#undef slots  // Qt's word, and a member of the paged heads; Q_SLOTS says the same

#include "gpu/offload/offloaded_layers.h"
#include "tests/gpu/fake/tier_script.h"

using namespace kvantage;
using namespace kvantage::testing;

namespace {

constexpr int all_waits = 1 << 30;
constexpr gpu::OffloadShape shape{
    .layers = 3, .kv_heads = 2, .group = 1, .head_dim = 32, .hidden = 64, .tokens = 128, .page_tokens = 32};

std::string text_of(const std::vector<Race>& races) {
  std::string text = std::to_string(races.size()) + " races";
  for (std::size_t i = 0; i < std::min<std::size_t>(races.size(), 5); ++i)
    text += ", " + races[i].earlier + " beside " + races[i].later;
  return text;
}
bool has(const std::vector<Race>& races, const std::string& earlier, const std::string& later) {
  return std::ranges::any_of(races, [&](const Race& race) { return race.earlier == earlier && race.later == later; });
}

std::vector<std::uint16_t> some_queries() {
  std::vector<std::uint16_t> queries(
      static_cast<std::size_t>(shape.layers * shape.kv_heads * shape.group * shape.head_dim));
  Random random(6);
  for (std::uint16_t& number : queries) number = gpu::narrowed(static_cast<float>(random.normal()));
  return queries;
}

}  // namespace

class StreamProtocolTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { fake_cuda().reset(); }
  void cleanup() {
    QCOMPARE(fake_cuda().broken_rules.load(), 0);
    QVERIFY(fake_cuda().nothing_left());
  }

  void theTierOrdersItsAccesses_data() {
    QTest::addColumn<int>("lateness");
    QTest::addColumn<int>("seeds");
    QTest::newRow("at once") << int(Lateness::at_once) << 1;
    QTest::newRow("drawn") << int(Lateness::drawn) << 12;
    QTest::newRow("as late as possible") << int(Lateness::latest) << 1;
  }
  void theTierOrdersItsAccesses() {
    QFETCH(int, lateness);
    QFETCH(int, seeds);
    TierScript script;
    for (int seed = 1; seed <= seeds; ++seed) {
      fake_cuda().reset(static_cast<Lateness>(lateness), static_cast<std::uint64_t>(seed));
      fake_cuda().begin_trace();
      const ScriptOutcome outcome = script.run();
      QVERIFY2(outcome.errors.empty(), outcome.errors.empty() ? "" : outcome.errors[0].message.c_str());
      QCOMPARE(outcome.served, TierScript::reads);
      QCOMPARE(outcome.wrong, 0);
      QVERIFY(fake_cuda().accesses() > 50 && fake_cuda().waits() > 15);
      const std::vector<Race> races = fake_cuda().races();
      QVERIFY2(races.empty(), text_of(races).c_str());
    }
  }

  void openingOrdersItsAccesses() {
    fake_cuda().reset(Lateness::latest);
    fake_cuda().begin_trace();
    {
      auto memory = gpu::open_cuda_memory();
      QVERIFY(memory);
      QVERIFY(gpu::DeviceAccelerator::open(std::make_shared<TracedMemory>(std::move(*memory))));
    }
    QVERIFY(fake_cuda().accesses() > 16);
    const std::vector<Race> races = fake_cuda().races();
    QVERIFY2(races.empty(), text_of(races).c_str());
  }

  /// The same calls, of which the trace ignores every wait.
  void theTiersWaitsAreNeeded() {
    fake_cuda().begin_trace(0, all_waits);
    TierScript script;
    const ScriptOutcome outcome = script.run();
    QCOMPARE(outcome.wrong, 0);
    const std::vector<Race> races = fake_cuda().races();
    QVERIFY2(has(races, "a copy", "the host's write"), text_of(races).c_str());  // a slot that is filled again
    QVERIFY2(has(races, "a copy", "the host's read"), text_of(races).c_str());   // a slot, or a buffer, on arrival
    QVERIFY2(has(races, "a copy", "the owner's read"), text_of(races).c_str());  // a buffer handed over
    QVERIFY2(has(races, "a copy", "leaf_checksums"), text_of(races).c_str());    // an entry that is verified
    QVERIFY2(has(races, "a copy", "check_blocks"), text_of(races).c_str());      // one in a model's blocks
    QVERIFY2(has(races, "leaf_checksums", "a copy"), text_of(races).c_str());    // its blocks, written again
    QVERIFY2(has(races, "a copy", "the end of device memory"), text_of(races).c_str());
    QVERIFY2(has(races, "a copy", "the end of page-locked memory"), text_of(races).c_str());
  }

  void copiesWithoutAWaitAreFound() {
    fake_cuda().begin_trace();
    const auto opened = gpu::open_cuda_memory();
    QVERIFY(opened);
    TracedMemory memory(*opened);
    DeviceBytes bytes(4096);
    const auto address = memory.allocate(bytes.size());
    QVERIFY(address);
    {
      const auto in = memory.copy_in(*address, bytes);
      const auto out = memory.copy_out(bytes, *address);  // its stream knows nothing of the first one
      QVERIFY(in && out);
      memory.note_host_access(std::span(bytes).first(10), gpu::HostAccess::reads);
    }
    memory.release(*address);
    const std::vector<Race> races = fake_cuda().races();
    QVERIFY2(has(races, "a copy", "a copy") && has(races, "a copy", "the host's read"), text_of(races).c_str());
    QCOMPARE(races.size(), std::size_t{3});  // both copies, at both ends, and the read beside the second one
  }

  void doubleBufferingOrdersItsAccesses() {
    const std::vector<std::uint16_t> queries = some_queries();
    std::map<int, std::vector<std::uint16_t>> expected;
    for (int seed = 0; seed <= 40; ++seed) {
      const Lateness lateness = seed == 0 ? Lateness::at_once : seed == 1 ? Lateness::latest : Lateness::drawn;
      fake_cuda().reset(lateness, static_cast<std::uint64_t>(seed));
      fake_cuda().begin_trace();
      {
        auto layers = gpu::OffloadedLayers::random(shape, 5);
        QVERIFY2(layers.has_value(), layers ? "" : layers.error().message.c_str());
        for (int recomputed = 0; recomputed <= shape.tokens; recomputed += shape.page_tokens) {
          std::vector<std::uint16_t> outputs;
          const auto step = layers->step(recomputed, queries, outputs);
          QVERIFY2(step.has_value(), step ? "" : step.error().message.c_str());
          if (seed == 0) expected[recomputed] = outputs;
          QVERIFY2(outputs == expected[recomputed], qPrintable(QString::number(seed)));
        }
        QVERIFY(layers->profile(2));
      }
      const std::vector<Race> races = fake_cuda().races();
      QVERIFY2(races.empty(), text_of(races).c_str());
    }
    QVERIFY(expected[0] != expected[shape.page_tokens]);
  }

  /// Of the waits of a step, in their order, the trace ignores one. Copies of the queries, then for the streams: the
  /// step's begin; inputs and pages of each layer; before the third layer its buffer; at the end all layers, and the
  /// copy of the outputs.
  void everyWaitOfAStepIsNeededButOne() {
    const std::vector<std::uint16_t> queries = some_queries();
    int before = 0, in_step = 0;
    std::string found;
    for (int ignored = -1; ignored < in_step; ++ignored) {
      fake_cuda().begin_trace(before + ignored, ignored < 0 ? 0 : 1);
      {
        auto layers = gpu::OffloadedLayers::random(shape, 5);
        QVERIFY(layers);
        before = fake_cuda().waits();
        std::vector<std::uint16_t> outputs;
        QVERIFY(layers->step(shape.page_tokens, queries, outputs));
        in_step = fake_cuda().waits() - before;
      }
      if (ignored >= 0) found += fake_cuda().races().empty() ? '.' : 'x';
    }
    // The second one orders times, not memory.
    QCOMPARE(found, std::string("x.xxxxxxxxx"));
  }
};

QTEST_GUILESS_MAIN(StreamProtocolTest)
#include "stream_protocol_test.moc"
