#include "core/experiments/model/pool_walk.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "core/base/clock.h"
#include "core/base/counted.h"
#include "core/base/random.h"
#include "core/compress/decode/eviction_loop.h"
#include "core/kv/compaction.h"
#include "core/kv/pool_gauges.h"

namespace kvantage::inline model_experiments {
namespace {

constexpr KvShape one_head{1, 1, 32, KvType::fp32};
constexpr std::uint64_t seed = 20'260'901;

class Walk {
 public:
  Walk(const PoolWalkSetting& setting, BlockPool& pool, std::unique_ptr<DecodeEviction> eviction_method)
      : setting_(setting),
        pool_(pool),
        cache_(pool),
        other_(pool),
        loop_(std::move(eviction_method), shape(),
              {.budget_tokens = setting.budget_tokens, .cadence = 1, .compaction = CompactionKind::none}, clock_),
        random_(seed) {}

  static EvictionSetting shape() {
    EvictionSetting shape{.layers = 1,
                          .kv_heads = 1,
                          .heads = 1,
                          .head_dim = one_head.head_dim,
                          .table = BlockTableScope::head,
                          .frequencies = {}};
    for (int i = 0; i < one_head.head_dim / 2; ++i)
      shape.frequencies.push_back(
          std::pow(10000.0f, -2.0f * static_cast<float>(i) / static_cast<float>(one_head.head_dim)));
    return shape;
  }

  Status run() {
    for (int t = 0; t < setting_.prompt_tokens; ++t) KV_TRY(append(t));
    take("prompt", "The prompt: " + std::to_string(setting_.prompt_tokens) + " KV entries in " +
                       std::to_string(pool_.live_blocks()) + " blocks");
    if (setting_.shared_prompt) {
      other_ = cache_.share();
      take("share", "Another sequence begins with the same prompt: both share its blocks");
    }
    for (decoded_ = 1; decoded_ <= setting_.decoded_tokens; ++decoded_) KV_TRY(decode());
    return {};
  }
  std::vector<PoolFrame> frames;

 private:
  /// A model-like row: random direction, varying norm.
  Status append(int position) {
    std::array<float, static_cast<std::size_t>(one_head.head_dim)> key{}, value{};
    const double key_length = 0.4 + 1.6 * random_.uniform(), value_length = 0.4 + 1.6 * random_.uniform();
    for (std::size_t i = 0; i < key.size(); ++i) {
      key[i] = static_cast<float>(key_length * (random_.uniform() - 0.5));
      value[i] = static_cast<float>(value_length * (random_.uniform() - 0.5));
    }
    const std::array<std::int32_t, 1> at{position};
    return cache_.append(0, std::as_bytes(std::span(key)), std::as_bytes(std::span(value)), at);
  }

  Status decode() {
    const std::size_t before = pool_.live_blocks();
    KV_TRY(append(setting_.prompt_tokens + decoded_ - 1));
    const auto grown = static_cast<long>(pool_.live_blocks()) - static_cast<long>(before);
    take("decode", "Token " + std::to_string(setting_.prompt_tokens + decoded_ - 1) +
                       (grown > 0 ? " takes a new block" : " takes the next free slot"));
    const EvictionCounts earlier = loop_.counts();
    const std::array<float, static_cast<std::size_t>(one_head.head_dim)> query{};
    KV_TRY(loop_.after_layer(cache_, 0, query));
    const auto rows = static_cast<int>(loop_.counts().tokens_evicted - earlier.tokens_evicted);
    const auto blocks = static_cast<int>(loop_.counts().blocks_freed_by_eviction - earlier.blocks_freed_by_eviction);
    evicted_ += rows;
    freed_by_eviction_ += blocks;
    if (rows > 0) take("evict", counted(rows, "KV entry") + " evicted, " + counted(blocks, "block") + " freed");
    if (setting_.compaction != "none" && decoded_ % setting_.compact_every == 0) return compact();
    return {};
  }

  Status compact() {
    const CompactionPlan plan =
        setting_.compaction == "repack" ? plan_repack(cache_) : plan_hole_fill(cache_, {}, round_start_);
    KV_ASSIGN(const auto report, commit(cache_, plan, clock_));
    round_start_ = cache_.sequence_length();
    freed_by_compaction_ += static_cast<int>(report.blocks_freed);
    copies_ += static_cast<int>(report.slot_copies);
    take("compact", std::string(setting_.compaction == "repack" ? "Repacking" : "Hole filling") + " moves " +
                        std::to_string(report.slot_copies) + " KV entries, " + std::to_string(report.blocks_freed) +
                        " blocks freed");
    return {};
  }

  void mark(const KvCache& cache, PoolFrame& frame) const {
    const HeadView head = cache.head(0, 0);
    const int rows = pool_.block_tokens();
    const auto at = [&](int slot) -> std::pair<PoolBlock&, std::size_t> {
      return {frame.blocks[static_cast<std::size_t>(head.blocks[static_cast<std::size_t>(slot / rows)])],
              static_cast<std::size_t>(slot % rows)};
    };
    for (int slot = 0; slot < head.used; ++slot) {
      const auto [block, row] = at(slot);
      block.rows[row] = SlotState::dead;
      block.positions[row] = -1;
    }
    for (int i = 0; i < head.kept; ++i) {
      const int slot = head.slot(static_cast<std::size_t>(i));
      const auto [block, row] = at(slot);
      block.rows[row] = SlotState::live;
      block.positions[row] = pool_.positions(head.blocks[static_cast<std::size_t>(slot / rows)])[row];
    }
  }

  void take(const char* kind, std::string what) {
    PoolFrame frame;
    frame.decoded = decoded_;
    frame.kind = kind;
    frame.what = std::move(what);
    const auto rows = static_cast<std::size_t>(pool_.block_tokens());
    for (std::size_t b = 0; b < pool_.capacity_blocks(); ++b)
      frame.blocks.push_back({0, std::vector<SlotState>(rows, SlotState::unused), std::vector<int>(rows, -1)});
    for (const KvCache* cache : {&std::as_const(other_), &std::as_const(cache_)}) {
      for (const BlockId block : cache->head(0, 0).blocks)
        frame.blocks[static_cast<std::size_t>(block)].references = pool_.references(block);
      mark(*cache, frame);
    }
    const std::array<const KvCache*, 2> caches{&cache_, &other_};
    const PoolGauges gauges = pool_gauges(pool_, caches);
    frame.kept = cache_.kept(0, 0);
    frame.live_blocks = static_cast<int>(gauges.live);
    frame.free_blocks = static_cast<int>(gauges.free);
    frame.shared_blocks = static_cast<int>(gauges.shared);
    frame.live_slots = static_cast<int>(gauges.live_slots);
    frame.dead_slots = static_cast<int>(gauges.dead_slots);
    frame.fragmentation = gauges.fragmentation;
    frame.evicted_rows = evicted_;
    frame.freed_by_eviction = freed_by_eviction_;
    frame.freed_by_compaction = freed_by_compaction_;
    frame.slot_copies = copies_;
    frames.push_back(std::move(frame));
  }

  const PoolWalkSetting& setting_;
  BlockPool& pool_;
  ManualClock clock_;  // frames carry no times
  KvCache cache_, other_;
  EvictionLoop loop_;
  Random random_;
  int decoded_ = 0, evicted_ = 0, freed_by_eviction_ = 0, freed_by_compaction_ = 0, copies_ = 0;
  std::int32_t round_start_ = 0;
};

Status check_walk(const PoolWalkSetting& setting) {
  const auto wrong = [](const std::string& what) { return fail(ErrorCode::usage, "pool walk: " + what); };
  if (setting.compaction != "none" && setting.compaction != "repack" && setting.compaction != "hole_fill")
    return wrong("unknown compaction '" + setting.compaction + "'; choose one of none, repack, hole_fill");
  if (setting.block_tokens < 4 || setting.block_tokens % 4 != 0 || setting.block_tokens > 256)
    return wrong("blocks of " + std::to_string(setting.block_tokens) + " tokens; give a multiple of 4, at most 256");
  if (setting.prompt_tokens < 1 || setting.decoded_tokens < 0 || setting.prompt_tokens + setting.decoded_tokens > 4096)
    return wrong("give a prompt of at least 1 token; prompt and answer together at most 4096");
  if (setting.budget_tokens < 8 || setting.compact_every < 1)
    return wrong("give a budget of at least 8 tokens, and at least 1 step between passes");
  return {};
}

}  // namespace

Expected<std::vector<PoolFrame>> walk_pool(const PoolWalkSetting& setting) {
  KV_TRY(check_walk(setting));
  KV_ASSIGN(auto eviction_method, make_eviction(setting.eviction_method, Walk::shape()));
  if (eviction_method->needs().attention || eviction_method->needs().window_queries > 0 ||
      eviction_method->needs().calibration)
    return fail(ErrorCode::usage,
                "pool walk: eviction method '" + setting.eviction_method +
                    "' needs a model's queries; give streaming_llm, knorm, keydiff or paged_eviction");
  const int tokens = setting.prompt_tokens + setting.decoded_tokens;
  // The other sequence keeps the prompt's blocks; a shared block is copied before it is written.
  const int blocks =
      (tokens + setting.block_tokens - 1) / setting.block_tokens +
      (setting.shared_prompt ? (setting.prompt_tokens + setting.block_tokens - 1) / setting.block_tokens : 0) + 1;
  BlockPool pool(one_head, setting.block_tokens,
                 static_cast<std::size_t>(blocks) * BlockPool(one_head, setting.block_tokens, 0).block_bytes());
  Walk walk(setting, pool, std::move(eviction_method));
  KV_TRY(walk.run());
  return std::move(walk.frames);
}

}  // namespace kvantage::inline model_experiments
