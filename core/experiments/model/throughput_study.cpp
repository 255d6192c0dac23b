#include "core/experiments/model/throughput_study.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/model/batch_decode.h"
#include "core/model/sampling.h"

namespace kvantage::inline model_experiments {
namespace {

constexpr int weighed_queries = 32;  // of the prompt's last tokens, for methods that need attention weights

struct Running {
  int request = 0;
  std::unique_ptr<KvCache> cache;
  std::unique_ptr<EvictionLoop> loop;  // null: the full cache
  std::int32_t token = 0;              // chosen last, not in the cache yet
  int chosen = 0;                      // tokens of the answer
};

std::size_t pages(int tokens, int page_tokens) {
  return static_cast<std::size_t>((tokens + page_tokens - 1) / page_tokens);
}

class Study {
 public:
  Study(Transformer& model, const ThroughputSetting& setting, const Clock& clock, const std::function<bool()>& stop)
      : model_(model),
        setting_(setting),
        clock_(clock),
        stop_(stop),
        tables_(static_cast<std::size_t>(model.kv_shape().layers * model.kv_shape().kv_heads)),
        pool_(model.kv_shape(), setting.page_tokens, capacity_bytes()) {
    run_.requests = setting.requests;
    run_.prompt_tokens = setting.prompt_tokens;
    run_.output_tokens = setting.output_tokens;
    run_.block_bytes = pool_.block_bytes();
    for (int r = 0; r < setting.requests; ++r) waiting_.push_back(r);
  }

  Expected<ThroughputRun> serve() {
    if (blocks_admitting() > pool_.capacity_blocks())
      return fail(ErrorCode::usage, "throughput: the pool holds no whole request; give it more tokens");
    const double begun = clock_.seconds();
    while (!waiting_.empty() || !running_.empty()) {
      while (admits()) KV_TRY(admit());
      run_.batch = std::max(run_.batch, static_cast<int>(running_.size()));
      KV_TRY(step());
      if (stop_ && stop_()) return fail(ErrorCode::cancelled, "measuring throughput was stopped");
    }
    run_.seconds = clock_.seconds() - begun;
    return run_;
  }

 private:
  int budget_tokens() const { return setting_.eviction->budget.of_prompt(setting_.prompt_tokens); }
  int whole_tokens() const { return setting_.prompt_tokens + setting_.output_tokens; }
  std::size_t capacity_bytes() const {
    const std::size_t whole = setting_.pool_tokens > 0
                                  ? pages(setting_.pool_tokens, setting_.page_tokens)
                                  : pages(whole_tokens(), setting_.page_tokens) *
                                        static_cast<std::size_t>(std::min(setting_.max_batch, setting_.requests));
    return whole * tables_ * BlockPool(model_.kv_shape(), setting_.page_tokens, 0).block_bytes();
  }
  /// Blocks that a request may hold at most once it decodes.
  std::size_t blocks_decoding() const {
    if (setting_.held_blocks > 0) return setting_.held_blocks;
    int tokens = whole_tokens();
    if (const auto& eviction = setting_.eviction) {
      // A page goes as a whole; single rows leave free slots until the next compaction pass is over, if there is one.
      const bool whole_pages = find_decode_method(eviction->name())->pages;
      const int single =
          eviction->compaction == CompactionKind::none ? tokens : eviction->cadence + 2 * eviction->compact_every;
      const int between = whole_pages ? std::max(setting_.page_tokens, eviction->page().value_or(0)) : single;
      tokens = std::min(tokens, budget_tokens() + between + setting_.page_tokens);
    }
    return pages(tokens, setting_.page_tokens) * tables_;
  }
  /// While its prompt is there as a whole, too.
  std::size_t blocks_admitting() const {
    return std::max(blocks_decoding(), pages(setting_.prompt_tokens, setting_.page_tokens) * tables_);
  }
  bool admits() const {
    return !waiting_.empty() && running_.size() < static_cast<std::size_t>(setting_.max_batch) &&
           running_.size() * blocks_decoding() + blocks_admitting() <= pool_.capacity_blocks() &&
           (running_.empty() || blocks_admitting() <= pool_.free_blocks());
  }

  std::vector<std::int32_t> prompt_of(int request) const {
    Random random(setting_.seed * 7919 + static_cast<std::uint64_t>(request));
    std::vector<std::int32_t> tokens(static_cast<std::size_t>(setting_.prompt_tokens));
    for (std::int32_t& token : tokens)
      token = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(model_.config().vocab_size)));
    return tokens;
  }

  Status admit() {
    const double begun = clock_.seconds();
    Running next{.request = waiting_.front(), .cache = std::make_unique<KvCache>(pool_), .loop = nullptr};
    if (const auto& eviction = setting_.eviction) {
      const EvictionSetting shape = eviction_setting(model_, eviction->table);
      KV_ASSIGN(auto method, make_eviction(eviction->method, shape));
      next.loop = std::make_unique<EvictionLoop>(std::move(method), shape, eviction_options(*eviction, budget_tokens()),
                                                 clock_);
    }
    const int window = next.loop != nullptr ? next.loop->prompt_queries(weighed_queries) : 0;
    PrefillTask prefill(
        model_, *next.cache, prompt_of(next.request), 0,
        {.chunk_tokens = setting_.chunk_tokens, .window_queries = window, .logits = PrefillLogits::last});
    KV_TRY(prefill.run());
    next.token = greedy_token(prefill.logits());
    next.chosen = 1;
    note_peak();
    if (next.loop != nullptr) {
      KV_TRY(next.loop->begin(*next.cache, {}));
      const WindowQueries queries = prefill.take_window_queries();
      for (int l = 0; l < model_.config().layers; ++l) KV_TRY(next.loop->begin_layer(*next.cache, l, queries));
    }
    waiting_.pop_front();
    running_.push_back(std::move(next));
    run_.prefill_seconds += clock_.seconds() - begun;
    return {};
  }

  Status step() {
    const double begun = clock_.seconds();
    std::vector<DecodeSequence> sequences;
    sequences.reserve(running_.size());
    for (Running& one : running_)
      sequences.push_back({one.cache.get(), one.token, one.cache->sequence_length(), one.loop.get()});
    BatchDecodeTask task(model_, std::move(sequences));
    std::size_t left = running_.size();  // the first so many still take part
    while (!task.done()) {
      Status stepped = task.step();
      if (stepped) continue;
      if (stepped.error().code != ErrorCode::no_space || left <= 1) return stepped;
      // Whoever came last begins again once there is room.
      task.leave(--left);
      waiting_.push_front(running_[left].request);
      running_[left].cache.reset();
      ++run_.preempted;
    }
    for (std::size_t s = 0; s < left; ++s) {
      running_[s].token = greedy_token(task.logits(s));
      ++running_[s].chosen;
    }
    running_.resize(left);
    note_peak();
    std::erase_if(running_, [this](Running& one) {
      if (one.chosen < setting_.output_tokens) return false;
      if (one.loop != nullptr) run_.counts += one.loop->counts();
      return true;
    });
    run_.decode_seconds += clock_.seconds() - begun;
    ++run_.steps;
    return {};
  }

  void note_peak() { run_.peak_blocks = std::max(run_.peak_blocks, pool_.live_blocks()); }

  Transformer& model_;
  const ThroughputSetting& setting_;
  const Clock& clock_;
  const std::function<bool()>& stop_;
  std::size_t tables_;  // block tables of a request
  BlockPool pool_;
  std::deque<int> waiting_;
  std::vector<Running> running_;
  ThroughputRun run_;
};

}  // namespace

double ThroughputRun::tokens_per_second() const {
  return seconds > 0 ? static_cast<double>(requests) * (prompt_tokens + output_tokens) / seconds : 0;
}

Status check_throughput_method(const DecodeEvictionSetting& eviction) {
  if (eviction.selects_pages())
    return fail(ErrorCode::usage, "eviction method '" + eviction.name() + "': evicts nothing; leave it out");
  KV_TRY(check_decode_eviction(eviction));
  KV_ASSIGN(const auto method, make_eviction(eviction.method, {}));
  if (method->needs().calibration)
    return fail(ErrorCode::usage,
                "eviction method '" + eviction.name() +
                    "': is calibrated on texts, which tell nothing about random weights; leave it out");
  return {};
}

Expected<ThroughputRun> measure_throughput(Transformer& model, const ThroughputSetting& setting, const Clock& clock,
                                           const std::function<bool()>& stop) {
  if (setting.eviction) KV_TRY(check_throughput_method(*setting.eviction));
  const int positions = setting.prompt_tokens + setting.output_tokens, most = model.config().max_positions;
  if (positions > most)
    return fail(ErrorCode::usage, "throughput: " + std::to_string(positions) + " positions are more than the model's " +
                                      std::to_string(most) + "; give shorter requests");
  return Study(model, setting, clock, stop).serve();
}

}  // namespace kvantage::inline model_experiments
