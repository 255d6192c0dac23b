// links: kv_runtime kv_tiers
// Sessions on virtual time that decode with eviction, compaction, page selection or over a tier, in a small pool, of
// which blocks are missing at times: whatever is preempted, canceled or changed, no block of the pool is lost and none
// is counted twice. In most a table says what the model answers; in some the CPU computes, which page selection, a cut
// while prefilling and decode_offload need. In some the plan chooses how each answer is decoded.
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/files.h"
#include "core/ports/decode_eviction.h"
#include "tests/support/drawn_sessions.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_program.h"
#include "tests/support/time_limit.h"

namespace pool_conservation_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// Takes blocks out of the pool for some passes of the model, so that requests find none.
class HoardingModel final : public ModelDevice {
 public:
  HoardingModel(std::shared_ptr<ModelDevice> model, std::uint64_t seed) : model_(std::move(model)), random_(seed) {}

  std::string description() const override { return model_->description(); }
  int numerics_version() const override { return model_->numerics_version(); }
  std::unique_ptr<Prefill> prefill(KvCache& cache, std::vector<std::int32_t> tokens, std::int32_t first,
                                   const PrefillOptions& options) override {
    turn(cache.pool());
    return model_->prefill(cache, std::move(tokens), first, options);
  }
  Expected<std::vector<float>> decode(std::span<const DecodeSequence> sequences) override {
    turn(sequences.front().cache->pool());
    return model_->decode(sequences);
  }
  bool calls_hooks() const override { return model_->calls_hooks(); }
  ModelDeviceGauges gauges() const override { return model_->gauges(); }

  /// Loading a session finds all blocks free.
  void begin() { takes_ = true; }
  /// Gives everything back, and takes nothing more. The pool must still be there.
  void end() {
    give_back();
    takes_ = false;
  }

 private:
  void turn(BlockPool& pool) {
    if (left_ > 0 && --left_ == 0) give_back();
    if (!takes_ || left_ > 0 || random_.below(12) > 0) return;
    left_ = 1 + random_.below(6);
    pool_ = &pool;
    for (std::uint64_t spare = random_.below(40); pool.free_blocks() > spare;) {
      const auto block = pool.allocate();
      if (!block) break;
      held_.push_back(*block);
    }
  }
  void give_back() {
    for (const BlockId block : std::exchange(held_, {})) pool_->release(block);
    left_ = 0;
  }

  std::shared_ptr<ModelDevice> model_;
  Random random_;
  BlockPool* pool_ = nullptr;
  std::vector<BlockId> held_;
  std::uint64_t left_ = 0;  // passes until they are given back
  bool takes_ = false;
};

/// Eviction is on in nine of ten; all methods, budgets, pages, tables and ways to compact and to cut the prompt.
std::string drawn_eviction(Random& random) {
  if (random.below(10) == 0) return "none";
  const DecodeMethodInfo& method = decode_methods()[random.below(decode_methods().size())];
  std::string text = std::string(method.name) +
                     "(budget=" + one_of<std::string>(random, {"10%", "25%", "50%", "100%", "8", "40", "100000"});
  if (method.selects) return text + one_of<std::string>(random, {",dense=0", ",dense=1", ",dense=0,page=8"}) + ")";
  if (method.pages)
    text += one_of<std::string>(random, {"", ",page=8", ",page=16", ",page=64"}) +
            one_of<std::string>(random, {"", ",evict_when=page_full"}) +
            one_of<std::string>(random, {"", ",table=sequence"});
  if (!method.pages && random.below(2) == 0) text += ",cadence=" + std::to_string(1 + random.below(4));
  if (text.find(",table=") == std::string::npos)
    text += one_of<std::string>(random, {"", ",table=layer", ",table=head"});
  text += one_of<std::string>(random, {",compaction=none", ",compaction=hole_fill", "", ""});
  text += one_of<std::string>(random, {"", "", ",compact_ms=0.001", ",compact_ms=1"});
  text += one_of<std::string>(random, {"", "", ",cut=prefill"});
  return text + ",compact_every=" + std::to_string(1 + random.below(5)) + ")";
}

/// What the answers are decoded with, from now on.
void draw_decoding(Random& random, bool computes, SessionSettings& settings) {
  settings.decode_eviction = drawn_eviction(random);
  settings.decode_offload = "none";
  if (!computes || random.below(3) > 0) return;
  settings.decode_eviction = "none";
  settings.decode_offload =
      one_of<std::string>(random, {"dram(split=load_only", "dram(split=recompute_only", "dram(resident=inputs",
                                   "dram(resident=kv", "dram(split=load_only,codec=fp8"}) +
      one_of<std::string>(random, {"", "", ",weights=kv_first", ",weights=all_first"}) +
      one_of<std::string>(random, {")", ",batch=column)"});
}

/// Whether layer inputs are so much shorter than keys and values that a split is solved for each token.
bool splits() {
  static const bool solved = [] {
    VirtualSessionOptions options;
    options.model = folders().model;
    options.locks = folders().locks;
    options.workload = small_workload(1, 4, 1);
    options.hashed = false;
    options.settings.policy = "lru";
    options.settings.methods = {"knorm"};
    options.settings.removed_fractions = {0.5};
    options.settings.tiers = {TierConfig{.name = "dram", .budget = std::uint64_t{1} << 20}};
    VirtualSession session(options);
    return session.engine().info().split_refusal.empty();
  }();
  return solved;
}

/// Over what draw_decoding() drew, from numbers of its own: the plan chooses for each answer, or a split is solved.
void draw_chosen(Random& random, bool computes, SessionSettings& settings) {
  if (random.below(8) == 0) {
    settings.decode_offload = "none";
    settings.decode_eviction = std::string(planned_decode_eviction);
  } else if (computes && random.below(8) == 0 && splits()) {
    settings.decode_eviction = "none";
    settings.decode_offload = "dram(split=solved" +
                              one_of<std::string>(random, {"", ",weights=kv_first", ",weights=all_first"}) +
                              one_of<std::string>(random, {")", ",batch=column)"});
  }
}

/// Whether the contexts are profiled before the run, so that "planned" has something to choose from.
bool begins_planned(std::uint64_t seed) { return Random(derive_seed(seed, 7)).below(6) == 0; }

/// Few contexts, so that requests share them; a pool for the longest prompt once to four times. `computes`: the CPU.
VirtualSessionOptions drawn_session(std::uint64_t seed, bool computes, std::shared_ptr<HoardingModel>& model,
                                    std::uint64_t bytes_per_token) {
  Random random(derive_seed(seed, 1));
  VirtualSessionOptions options;
  options.model = folders().model;
  options.locks = folders().locks;
  options.seed = seed;
  const int sentences = 4 + static_cast<int>(random.below(16));
  options.workload = small_workload(1 + static_cast<int>(random.below(3)), sentences, derive_seed(seed, 2));
  SessionSettings& settings = options.settings;
  settings.policy = one_of<std::string>(random, {"lru", "lfu", "fixed(knorm,0.5)", "full_prefill"});
  settings.methods = {"knorm"};
  settings.removed_fractions = {0.5};
  settings.request_limit = 6 + random.below(15);
  settings.max_batch = 1 + static_cast<int>(random.below(6));
  settings.requests_per_second = one_of<double>(random, {0, 0, 20, 100});
  draw_decoding(random, computes, settings);
  settings.decode_options = {"knorm(budget=25%,compact_every=2)", "paged_eviction(budget=50%,page=8)"};
  Random chosen(derive_seed(seed, 5));
  draw_chosen(chosen, computes, settings);
  if (begins_planned(seed)) {
    settings.decode_eviction = std::string(planned_decode_eviction);
    settings.decode_offload = "none";
  }
  settings.compute_or_load = "off";
  std::uint64_t budget = (64 + random.below(2000)) << 10;
  if (computes && random.below(2) == 0) budget <<= 5;  // also for a context with its inputs
  TierConfig tier{.name = "dram", .budget = budget};
  tier.throttle.bytes_per_second = 2e6 * std::pow(10, 2 * random.uniform());
  settings.tiers = {tier};
  const double prompt_tokens = 16.0 * sentences + 64;
  options.pool_bytes =
      static_cast<std::uint64_t>((1.2 + 3 * random.uniform()) * prompt_tokens * static_cast<double>(bytes_per_token));
  options.hashed = !computes;
  options.around_model = [&model, seed](std::shared_ptr<ModelDevice> hashed) {
    return model = std::make_shared<HoardingModel>(std::move(hashed), derive_seed(seed, 4));
  };
  return options;
}

/// Starts the run; pauses, stops, and changes eviction and batch at drawn times; lets the last run end.
void drive(VirtualSession& session, std::uint64_t seed, bool computes) {
  Random random(derive_seed(seed, 3)), chosen(derive_seed(seed, 6));
  Engine& engine = session.engine();
  engine.start();
  for (std::uint64_t deeds = random.below(5); deeds > 0; --deeds) {
    session.executor().pass(random.uniform() * 0.3);
    SessionSettings settings = engine.settings();
    switch (random.below(5)) {
      case 0:
        engine.pause();
        break;
      case 1:
        engine.stop();  // what runs is canceled
        break;
      case 2:
        settings.max_batch = 1 + static_cast<int>(random.below(6));
        (void)engine.apply(settings);
        break;
      default:
        draw_decoding(random, computes, settings);
        draw_chosen(chosen, computes, settings);
        (void)engine.apply(settings);
    }
    session.executor().pass(0.02);  // a start together with a stop would be no start
    engine.start();
  }
  for (int steps = 0; session.wait() == RunState::paused && steps < 5; ++steps) engine.start();
}

struct Ran {
  std::vector<std::string> broken;
  std::size_t evicted = 0, passes = 0, blocks_freed = 0, shared = 0, cancelled = 0, requeued = 0;
  std::size_t selected = 0, cut_in_prefill = 0, offloaded = 0, solved = 0;  // answers
  std::size_t planned = 0, chosen = 0;  // answers; chosen: from options that were measured

  Ran& operator+=(const Ran& more) {
    for (std::size_t Ran::*const count :
         {&Ran::evicted, &Ran::passes, &Ran::blocks_freed, &Ran::shared, &Ran::cancelled, &Ran::requeued,
          &Ran::selected, &Ran::cut_in_prefill, &Ran::offloaded, &Ran::solved, &Ran::planned, &Ran::chosen})
      this->*count += more.*count;
    return *this;
  }
};

/// Holds the events of a session to each other, in their order.
class Oracle {
 public:
  explicit Oracle(Ran& ran) : ran_(ran) {}
  void operator()(const events::RunStarted&) {
    answered_ = {};
    passes_.clear();
  }
  void operator()(const events::CacheCompacted& e) {
    CompactionCounts& counts = passes_[e.request];
    ++counts.passes;
    counts.blocks_freed += e.blocks_freed;
    counts.slot_copies += e.slot_copies;
    ++ran_.passes;
    ran_.blocks_freed += e.blocks_freed;
  }
  void operator()(const events::RequestFinished& e) {
    const RequestRecord& record = e.record;
    ran_.cancelled += record.cancelled ? 1 : 0;
    if (record.cancelled) return;
    if (record.decoding.used()) answered_.add(record.decoding);
    const DecodingRecord& decoding = record.decoding;
    ran_.evicted += decoding.evicted_entries > 0 ? 1 : 0;
    ran_.selected += decoding.read_fraction < 1 ? 1 : 0;
    ran_.cut_in_prefill += decoding.evicted_entries > 0 && decoding.eviction.ends_with("cut=prefill)") ? 1 : 0;
    ran_.offloaded += decoding.offload && decoding.offload->used() ? 1 : 0;
    ran_.solved += decoding.offload && decoding.offload->used() &&
                           decoding.offload->setting.find("split=") == std::string::npos &&
                           decoding.offload->setting.find("resident=") == std::string::npos
                       ? 1
                       : 0;
    ran_.planned += decoding.choice ? 1 : 0;
    ran_.chosen += decoding.choice && decoding.choice->options > 0 ? 1 : 0;
    const CompactionCounts &told = passes_[record.id], &counted = record.decoding.compactions;
    // A request that was preempted has reported passes before it restarted.
    expect(told.passes >= counted.passes && told.blocks_freed >= counted.blocks_freed &&
               told.slot_copies >= counted.slot_copies,
           "request " + std::to_string(record.id) + " was compacted more often than its events say");
  }
  void operator()(const events::PoolSampled& e) {
    const PoolReport& pool = e.pool;
    const std::uint64_t blocks = pool.request_bytes / pool.block_bytes;
    ran_.shared += pool.shared_slots > 0 ? 1 : 0;
    expect(pool.live_blocks <= pool.capacity_blocks && pool.shared_blocks <= pool.live_blocks,
           "more blocks are in use than there are");
    expect(pool.request_bytes == blocks * pool.block_bytes, "a request holds a part of a block");
    expect(pool.live_slots + pool.dead_slots <= blocks * static_cast<std::uint64_t>(pool.block_tokens),
           "requests hold more slots than their blocks have");
    expect(pool.shared_slots <= pool.live_slots && pool.budgeted_slots <= pool.live_slots,
           "more slots are shared or budgeted than live");
    expect(pool.requests > 0 || pool.live_slots + pool.dead_slots + blocks == 0, "nobody holds slots");
    expect(pool.decoding == answered_, "the totals of the run are not the sums of its answers");
  }
  void operator()(const events::EngineCounted& e) { ran_.requeued += e.requeued; }
  template <class Other>
  void operator()(const Other&) {}

 private:
  void expect(bool holds, const std::string& what) {
    if (!holds) ran_.broken.push_back(what);
  }
  Ran& ran_;
  DecodingTotals answered_;
  std::map<std::uint64_t, CompactionCounts> passes_;
};

/// At rest the pool holds the original of one context, or nothing; no block has two owners.
void check_at_rest(VirtualSession& session, Ran& ran) {
  const auto expect = [&ran](bool holds, const std::string& what) {
    if (!holds) ran.broken.push_back(what);
  };
  const auto pool = session.engine().gauges().pool;
  if (!pool) return expect(false, "the pool is not reported");
  const SessionInfo info = session.engine().info();
  std::vector<std::uint64_t> allowed{0};
  for (const ContextState& context : session.engine().snapshot()->contexts) {
    const auto block = static_cast<std::uint64_t>(pool->block_tokens);
    allowed.push_back(static_cast<std::uint64_t>(info.layers * info.kv_heads) *
                      ((static_cast<std::uint64_t>(context.tokens) + block - 1) / block));
  }
  expect(pool->requests == 0 && pool->request_bytes == 0 && pool->live_slots == 0 && pool->dead_slots == 0,
         "a request is left");
  expect(std::ranges::find(allowed, pool->live_blocks) != allowed.end(),
         std::to_string(pool->live_blocks) + " blocks are in use, which no context has");
  expect(pool->shared_blocks == 0, std::to_string(pool->shared_blocks) + " blocks have two owners");
  expect(session.leased_bytes() == 0, std::to_string(session.leased_bytes()) + " bytes of buffers are still lent");
}

/// Bytes of the pool for a token of a cache, blocks' positions included.
std::uint64_t pool_bytes_per_token() {
  static const std::uint64_t bytes = [] {
    VirtualSessionOptions options;
    options.model = folders().model;
    options.locks = folders().locks;
    options.workload = small_workload(1, 4, 1);
    options.settings.policy = "lru";
    options.settings.methods = {"knorm"};
    options.settings.removed_fractions = {0.5};
    options.settings.tiers = {TierConfig{.name = "dram", .budget = std::uint64_t{1} << 20}};
    VirtualSession session(options);
    const auto pool = session.engine().gauges().pool;
    const SessionInfo info = session.engine().info();
    if (!pool || pool->block_tokens == 0) qFatal("the pool is not reported");
    return pool->block_bytes * static_cast<std::uint64_t>(info.layers * info.kv_heads) /
           static_cast<std::uint64_t>(pool->block_tokens);
  }();
  return bytes;
}

Ran run(std::uint64_t seed, bool computes) {
  Ran ran;
  std::shared_ptr<HoardingModel> model;  // null: the CPU computes
  VirtualSession session(drawn_session(seed, computes, model, pool_bytes_per_token()));
  const auto failed = [&] {
    const bool did = session.engine().state() == RunState::failed;
    if (did) ran.broken.push_back("the session failed: " + session.engine().failure().message);
    return did;
  };
  if (failed()) return ran;
  if (begins_planned(seed)) {
    session.engine().profile_all();
    session.wait();
  }
  if (model) model->begin();
  drive(session, seed, computes);
  if (failed()) return ran;
  if (model) model->end();
  // A setting makes the engine report its pool again.
  SessionSettings settings = session.engine().settings();
  settings.alpha += 0.5;
  if (const Status applied = session.engine().apply(settings); !applied) ran.broken.push_back(applied.error().message);
  session.executor().pass(5);
  check_at_rest(session, ran);
  model.reset();
  session.close();
  Oracle oracle(ran);
  for (const Event& event : session.events()) std::visit(oracle, event.payload);
  return ran;
}

}  // namespace

class PoolConservationTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: its tokenizer is wanted");
  }

  // KVANTAGE_LONG=1: 10,000 sessions instead of 250, and 2,000 instead of 50 that the CPU computes. KVANTAGE_SEED=N:
  // that one alone.
  void noBlockIsLost_data() {
    QTest::addColumn<bool>("computes");
    QTest::addColumn<int>("first_seed");
    QTest::addColumn<int>("sessions");
    bool given = false;
    const int seed = qEnvironmentVariableIntValue("KVANTAGE_SEED", &given);
    const int parts = given ? 0 : qEnvironmentVariableIntValue("KVANTAGE_LONG") > 0 ? 40 : 1;
    for (const bool computes : {false, true}) {
      const char* const what = computes ? "computed" : "hashed";
      const int sessions = computes ? 50 : 250;
      if (given) QTest::addRow("%s, seed %d", what, seed) << computes << seed << 1;
      for (int part = 0; part < parts; ++part)
        QTest::addRow("%s, %d", what, part) << computes << 1'000 + part * sessions << sessions;
    }
  }
  void noBlockIsLost() {
    QFETCH(bool, computes);
    QFETCH(int, first_seed);
    QFETCH(int, sessions);
    std::string failures;
    Ran all;
    for (int s = 0; s < sessions; ++s) {
      const auto seed = static_cast<std::uint64_t>(first_seed + s);
      const Ran ran = run(seed, computes);
      for (const std::string& what : ran.broken) {
        failures = "seed " + std::to_string(seed) + ": " + what;
        std::fprintf(stderr, "%s\n", failures.c_str());
      }
      all += ran;
    }
    qInfo(
        "%zu answers with evictions, %zu passes freed %zu blocks, %zu samples with shared slots, %zu canceled, "
        "%zu preempted; %zu answers from selected pages, %zu with cut=prefill, %zu over a tier, %zu of them with "
        "solved "
        "splits, %zu planned, %zu of them from measured options",
        all.evicted, all.passes, all.blocks_freed, all.shared, all.cancelled, all.requeued, all.selected,
        all.cut_in_prefill, all.offloaded, all.solved, all.planned, all.chosen);
    QVERIFY2(failures.empty(), failures.c_str());
    // They meet what they are there for. In one of the further parts, chance may leave something out.
    if (sessions == 1 || first_seed != 1'000) return;
    const std::size_t part = computes ? 5 : 1;
    QVERIFY(all.evicted > 200 / part);
    QVERIFY(all.passes > 200 / part);
    QVERIFY(all.cancelled > 20 / part);
    QVERIFY(all.planned > 50 / part && all.chosen > 0);
    if (computes) {
      QVERIFY(all.selected > 5);
      QVERIFY(all.cut_in_prefill > 5);
      QVERIFY(all.offloaded > 20);
      QVERIFY(all.solved > 5 || !splits());
    } else {
      QVERIFY(all.shared > 5);
      QVERIFY(all.requeued > 5);
    }
  }
};

KV_TEST_PROGRAM(argc, argv) {
  lift_time_limit_of_long_runs();
  return run_test<PoolConservationTest, QCoreApplication>(argc, argv);
}

}  // namespace pool_conservation_test

#include "pool_conservation_test.moc"
