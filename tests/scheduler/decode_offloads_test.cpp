// links: core_engine tiers
// What requests under decode_offload share: matrices are on the tier once, until the setting changes or they may be
// gone, and a tier without space is not asked again.
#include "core/scheduler/decode_offloads.h"

#include <QtTest>

#include "tests/support/engine_parts_work.h"
#include "tests/support/test_program.h"

namespace decode_offloads_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

struct Offloading {
  EngineParts parts{small_workload(2, 8, 3, 2), with_pool(32 << 20)};
  DecodeOffloads offloads{parts.services()};

  RequestInput applied(bool again = false) {
    RequestInput input;
    input.context_tokens = parts.catalog->details(0).tokens;
    offloads.apply(again, input);
    return input;
  }
  StorageTier& tier() { return parts.store->tiers()[0]; }
};

}  // namespace

class DecodeOffloadsTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void matricesAreWrittenOnce() {
    Offloading made;
    made.tier().set_capacity(0);  // unlimited
    made.offloads.use("dram(split=load_only,weights=kv_first)", true);
    QCOMPARE(made.tier().used_bytes(), std::uint64_t{0});  // before the first request nothing is written
    const RequestInput first = made.applied();
    QVERIFY(first.decode_offload != nullptr && first.decode_offload->weights != nullptr);
    const std::uint64_t bytes = made.tier().used_bytes();
    QCOMPARE(bytes, first.decode_offload->weights->bytes());
    QCOMPARE(made.applied().decode_offload->weights, first.decode_offload->weights);
    made.offloads.use("dram(split=load_only,weights=kv_first)", true);  // other settings changed
    QCOMPARE(made.applied().decode_offload->weights, first.decode_offload->weights);
    QCOMPARE(made.tier().used_bytes(), bytes);
    made.offloads.use("dram(split=load_only)", true);
    QVERIFY(made.applied().decode_offload->weights == nullptr);
    QCOMPARE(made.tier().used_bytes(), bytes);  // a request still has them
  }

  void requestsOfAColumnShareIt() {
    Offloading made;
    made.tier().set_capacity(0);
    made.offloads.use("dram(split=load_only)", true);
    QVERIFY(made.applied().decode_offload->column == nullptr);
    made.offloads.use("dram(split=load_only,weights=kv_first,batch=column)", true);
    const RequestInput first = made.applied();
    QVERIFY(first.decode_offload->column != nullptr);
    QCOMPARE(made.applied().decode_offload->column, first.decode_offload->column);
    made.offloads.forget_weights();  // with what it reads
    const RequestInput later = made.applied();
    QVERIFY(later.decode_offload->column != nullptr && later.decode_offload->column != first.decode_offload->column);
  }

  void whatMayBeGoneIsWrittenAgain() {
    Offloading made;
    made.tier().set_capacity(0);
    made.offloads.use("dram(split=load_only,weights=all_first)", true);
    const std::uint64_t bytes = made.applied().decode_offload->weights->bytes();
    for (const EntryInfo& entry : made.tier().entries()) QVERIFY(made.tier().erase(entry.key).has_value());
    QCOMPARE(made.tier().used_bytes(), std::uint64_t{0});
    made.offloads.forget_weights();
    QVERIFY(made.applied().decode_offload->weights != nullptr);
    QCOMPARE(made.tier().used_bytes(), bytes);
    made.offloads.use("none", true);
    QCOMPARE(made.tier().used_bytes(), std::uint64_t{0});
    QVERIFY(made.applied().decode_offload == nullptr && !made.applied().start.offload);
  }

  void aTierWithoutSpaceIsAskedOnce() {
    Offloading made;
    made.tier().set_capacity(64 << 10);
    made.offloads.use("dram(split=load_only,weights=kv_first)", true);
    const auto refused = [&] {
      const RequestInput input = made.applied();
      return input.decode_offload == nullptr && input.start.offload &&
             input.start.offload->not_applied == "the tier has no space for the model's matrices";
    };
    QVERIFY(refused());
    QCOMPARE(made.tier().used_bytes(), std::uint64_t{0});
    made.tier().set_capacity(0);
    QVERIFY(refused());  // until settings change
    made.offloads.use("dram(split=load_only,weights=kv_first)", true);
    QVERIFY(made.applied().decode_offload != nullptr);
  }

  void aRequestThatFailedIsServedWithout() {
    Offloading made;
    made.offloads.use("dram(split=load_only,weights=kv_first)", true);
    const RequestInput again = made.applied(true);
    QVERIFY(again.decode_offload == nullptr);
    QCOMPARE(again.start.offload->not_applied, std::string("the tier failed while decoding"));
    QCOMPARE(made.tier().used_bytes(), std::uint64_t{0});
  }
};

KV_TEST_GUILESS_MAIN(DecodeOffloadsTest)

}  // namespace decode_offloads_test

#include "decode_offloads_test.moc"
