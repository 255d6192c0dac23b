// links: core_store tiers
// The stage that takes an entry where it is, alone: over a tier whose entries are said to be in a device's blocks, and
// a device that notes what is attached. What it takes, what it leaves to a load, and what comes of failures.
#include "core/request/resident_hit_stage.h"

#include <QtTest>

#include "tests/support/request_stages.h"
#include "tests/support/test_program.h"
#include "tiers/queued_tier.h"

namespace resident_hit_stage_test {

using namespace kvantage;
using namespace kvantage::test;

const DeviceBlocks there{"there", {32, 16, 4096, 1024, 2048}};

class Rows final : public DeviceResidency {
 public:
  Rows(DeviceBlocks blocks, std::vector<int> kept, std::int32_t length)
      : blocks_(std::move(blocks)), kept_(std::move(kept)), length_(length) {}
  const DeviceBlocks& blocks() const override { return blocks_; }
  std::size_t held_bytes() const override { return 0; }
  std::int32_t sequence_length() const override { return length_; }
  std::vector<int> kept() const override { return kept_; }
  std::vector<std::uint64_t> addresses(int) const override { return {}; }

 private:
  DeviceBlocks blocks_;
  std::vector<int> kept_;
  std::int32_t length_;
};

/// A store of one entry, of which only that it is there counts.
class Store final : public EntryStore {
 public:
  Store(std::shared_ptr<const DeviceResidency> rows, std::shared_ptr<bool> changed)
      : rows_(std::move(rows)), changed_(std::move(changed)) {}
  TierDescription describe() const override { return {"device", "device memory", false, ""}; }
  Expected<std::shared_ptr<StoredEntry>> put(const EntryInfo& info, std::span<const std::byte>,
                                             const std::atomic<bool>&) override {
    return std::make_shared<StoredEntry>(info);
  }
  TransferStatus read(const StoredEntry&, ReadSink&) override {
    return fail_transfer(MissReason::device, ErrorCode::io, "bytes are read");
  }
  TransferStatus verify(const StoredEntry&) override {
    if (*changed_) return fail_transfer(MissReason::checksum, ErrorCode::corrupt, "device: it changed");
    return {};
  }
  bool may_reside() const override { return true; }
  std::shared_ptr<const DeviceResidency> residency(const std::shared_ptr<StoredEntry>&) const override { return rows_; }

 private:
  std::shared_ptr<const DeviceResidency> rows_;
  std::shared_ptr<bool> changed_;
};

class Device final : public ModelDevice {
 public:
  std::string description() const override { return "a device"; }
  int numerics_version() const override { return 1 << 30; }
  std::unique_ptr<Prefill> prefill(KvCache&, std::vector<std::int32_t>, std::int32_t, const PrefillOptions&) override {
    return nullptr;
  }
  Expected<std::vector<float>> decode(std::span<const DecodeSequence>) override { return std::vector<float>(); }
  ModelDeviceGauges gauges() const override { return {}; }
  std::optional<DeviceBlocks> blocks() const override { return own; }
  Status attach(std::shared_ptr<const DeviceResidency> stored, KvCache& cache) override {
    if (full) return fail(ErrorCode::no_space, "the device is full");
    attached = stored;
    cache.set_sequence_length(stored->sequence_length());
    cache.set_own_device_rows(std::make_shared<Rows>(stored->blocks(), stored->kept(), stored->sequence_length()));
    return {};
  }

  std::optional<DeviceBlocks> own = there;
  bool full = false;
  std::shared_ptr<const DeviceResidency> attached;
};

struct Resident : StageParts {
  Resident() {
    store_context(*this, 0, {.tier = 0});
    hit = store->find(tokens()).value();
    const KvShape shape = runtime->model->kv_shape();
    const std::vector<int> kept(static_cast<std::size_t>(shape.layers * shape.kv_heads),
                                static_cast<int>(tokens().size()));
    rows = std::make_shared<Rows>(there, kept, static_cast<std::int32_t>(tokens().size()));
    tier = std::move(*QueuedTier::open(std::make_unique<Store>(rows, changed), 0, 0, system_executor()));
    put();
    hit.place.tier = tier.get();
    hit.place.tier_name = "device";
    runtime->model->compute_on(device);
  }
  ~Resident() { runtime->model->compute_on(nullptr); }
  void put() const {
    CompletionQueue written(tier->clock());
    EntryInfo info{hit.info.key, 4096, 4096, "entry"};
    tier->submit_write(info, std::make_shared<const std::vector<std::byte>>(4096), written);
    const auto done = written.wait(60);
    if (done.size() != 1 || !done[0].status) qFatal("not written");
  }

  std::shared_ptr<bool> changed = std::make_shared<bool>(false);
  std::shared_ptr<Device> device = std::make_shared<Device>();
  std::shared_ptr<const Rows> rows;
  std::unique_ptr<StorageTier> tier;
  CacheHit hit;
};

class ResidentHitStageTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void anEntryOnTheDeviceIsTakenThere() {
    Resident parts;
    RequestState state = parts.state();
    auto stage = ResidentHitStage::begin(state, parts.hit);
    QVERIFY(stage != nullptr);
    QVERIFY(stage->needs() == RequestNeed::bytes && stage->reading() && !stage->has_layer(0));
    must(stage->poll(0, 1));
    QVERIFY(stage->needs() == RequestNeed::compute && stage->reading() && !stage->has_layer(0));
    QVERIFY(parts.device->attached == nullptr && !state.resident);
    must(stage->compute());
    QVERIFY(stage->next() == HitStage::Next::question);
    QVERIFY(!stage->reading() && stage->has_layer(parts.layers() - 1));
    QVERIFY(parts.device->attached == parts.rows);
    QCOMPARE(parts.lender.leased_bytes(), std::size_t{0});
    QCOMPARE(state.cache.kept_rows(), std::size_t{0});
    QCOMPARE(state.cache.sequence_length(), static_cast<std::int32_t>(parts.tokens().size()));
    const auto heads = static_cast<std::size_t>(parts.layers() * parts.runtime->model->kv_shape().kv_heads);
    QCOMPARE(state.resident->rows, heads * parts.tokens().size());
    QCOMPARE(state.cache.kept_mean(state.resident->rows), static_cast<int>(parts.tokens().size()));

    RequestRecord& record = state.record;
    record.miss_reason = "first_contact";
    record.kept_tokens = 77;
    stage->fill_in(record);
    QCOMPARE(record.source, std::string("device"));
    QVERIFY(record.miss_reason.empty());
    QCOMPARE(record.bytes_loaded, parts.hit.header->entry_bytes - parts.hit.header->header_bytes);
    QCOMPARE(record.prefix_hit_tokens, static_cast<int>(parts.tokens().size()));
    QVERIFY(stage->load_sample().has_value());
    QCOMPARE(stage->load_sample()->bytes, record.bytes_loaded);
    QCOMPARE(stage->load_sample()->kept_tokens, 77);
    QCOMPARE(stage->load_sample()->decode_seconds, 0.0);
    QCOMPARE(parts.tier->statistics().reads, std::uint64_t{1});
  }

  /// After an answer the context's rows are on the device as before.
  void theContextOutlastsTheAnswer() {
    Resident parts;
    RequestState state = parts.state();
    const auto stage = ResidentHitStage::begin(state, parts.hit);
    must(stage->poll(0, 1));
    must(stage->compute());
    const auto context = state.cache.device_rows();
    const auto length = state.cache.sequence_length();
    state.cache.set_own_device_rows(std::make_shared<Rows>(there, std::vector<int>{}, length + 9));
    state.cache.set_sequence_length(length + 9);
    state.question_start = length;
    state.keep_context_only(state.cache);
    QCOMPARE(state.cache.sequence_length(), length);
    QVERIFY(state.cache.device_rows() == context);
    state.become_miss("checksum");
    QVERIFY(!state.resident && state.cache.device_rows() == nullptr);
    QCOMPARE(state.cache.sequence_length(), 0);
  }

  void aChangedEntryIsAMiss() {
    Resident parts;
    RequestState state = parts.state();
    const auto stage = ResidentHitStage::begin(state, parts.hit);
    *parts.changed = true;
    must(stage->poll(0, 1));
    QVERIFY(stage->next() == HitStage::Next::miss);
    QCOMPARE(stage->failure()->miss_reason, std::string("checksum"));
    QVERIFY(stage->failure()->entry_is_lost());
    QVERIFY(parts.device->attached == nullptr && !state.resident);
    QVERIFY(!parts.tier->contains(parts.hit.info.key));
    QVERIFY(ResidentHitStage::begin(state, parts.hit) == nullptr);
  }

  /// As the scheduler tries again once memory is free: the entry is not read twice.
  void aFullDeviceIsNoFaultOfTheEntry() {
    Resident parts;
    RequestState state = parts.state();
    const auto stage = ResidentHitStage::begin(state, parts.hit);
    parts.device->full = true;
    must(stage->poll(0, 1));
    for (int attempt = 0; attempt < 2; ++attempt) {
      const Status refused = stage->compute();
      QVERIFY(!refused && refused.error().code == ErrorCode::no_space);
      QVERIFY(stage->next() == HitStage::Next::this_stage);
      QVERIFY(stage->needs() == RequestNeed::compute);  // with bytes the scheduler would restart the request
    }
    parts.device->full = false;
    must(stage->compute());
    QVERIFY(stage->next() == HitStage::Next::question);
    QVERIFY(parts.device->attached == parts.rows);
    QCOMPARE(parts.tier->statistics().reads, std::uint64_t{1});
    QCOMPARE(parts.tier->statistics().read_bytes, std::uint64_t{4096});
  }

  void otherHitsAreLoaded() {
    Resident parts;
    RequestState state = parts.state();
    const auto is_loaded = [&](const CacheHit& hit) { return ResidentHitStage::begin(state, hit) == nullptr; };
    QVERIFY(!is_loaded(parts.hit));
    CacheHit hit = parts.hit;
    hit.header = nullptr;
    QVERIFY(is_loaded(hit));
    hit = parts.hit;
    hit.method = "rerotate(streaming_llm)";
    QVERIFY(is_loaded(hit));
    hit = parts.hit;
    hit.place.bytes_in_flight = std::make_shared<const std::vector<std::byte>>();
    QVERIFY(is_loaded(hit));
    hit = parts.hit;
    hit.info.key.low ^= 1;
    QVERIFY(is_loaded(hit));

    std::vector<std::int32_t> longer = parts.tokens();
    longer.push_back(longer.back());
    state.input.context_tokens = longer;
    QVERIFY(is_loaded(parts.hit));
    state.input.context_tokens = parts.tokens();
    parts.device->own->form.block_tokens = 16;
    QVERIFY(is_loaded(parts.hit));
    parts.device->own = there;
    parts.device->own->memory = "elsewhere";
    QVERIFY(is_loaded(parts.hit));
    parts.device->own.reset();
    QVERIFY(is_loaded(parts.hit));
    parts.device->own = there;
    QVERIFY(!is_loaded(parts.hit));
    parts.runtime->model->compute_on(nullptr);
    QVERIFY(is_loaded(parts.hit));
  }
};

KV_TEST_GUILESS_MAIN(ResidentHitStageTest)

}  // namespace resident_hit_stage_test

#include "resident_hit_stage_test.moc"
