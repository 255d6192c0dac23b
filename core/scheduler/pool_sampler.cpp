#include "core/scheduler/pool_sampler.h"

#include <algorithm>

namespace kvantage::inline scheduler {
namespace {

/// Of one head: KV entries in blocks that another block table also has. A head without holes is counted by blocks.
std::uint64_t shared_slots(const HeadView& head) {
  const auto is_shared = [&head](BlockId block) { return head.pool->references(block) > 1; };
  const auto block_tokens = static_cast<std::size_t>(head.pool->block_tokens());
  const auto kept = static_cast<std::size_t>(head.kept);
  std::uint64_t slots = 0;
  if (head.row_slots.empty()) {
    for (std::size_t begin = 0; begin < kept; begin += block_tokens)
      if (is_shared(head.blocks[begin / block_tokens])) slots += std::min(block_tokens, kept - begin);
  } else if (std::ranges::any_of(head.blocks, is_shared)) {
    for (const std::int32_t slot : head.row_slots)
      slots += is_shared(head.blocks[static_cast<std::size_t>(slot) / block_tokens]) ? 1 : 0;
  }
  return slots;
}

std::uint64_t shared_slots(const KvCache& cache) {
  if (cache.pool().shared_blocks() == 0) return 0;
  std::uint64_t slots = 0;
  for (int l = 0; l < cache.shape().layers; ++l)
    for (int h = 0; h < cache.shape().kv_heads; ++h) slots += shared_slots(cache.head(l, h));
  return slots;
}

}  // namespace

void PoolSampler::add_request(const ServedRequest& request, PoolReport& report) const {
  const KvCache& cache = request.task->cache();
  report.request_bytes += cache.held_bytes();
  report.dead_slots += cache.dead_slots();
  report.live_slots += cache.kept_rows();
  report.shared_slots += shared_slots(cache);
  DecodeEvictionStage* eviction = request.task->decode().eviction();
  if (eviction == nullptr) return;
  if (eviction->applies() && !request.task->done())
    report.in_flight.add(eviction->so_far());  // a whole answer is counted as such
  const auto budget = eviction->kept_tokens();
  if (!budget || eviction->hooks() == nullptr) return;  // its prompt is not cut yet
  report.budgeted_slots += cache.kept_rows();
  report.budget_slots += static_cast<std::uint64_t>(*budget) * static_cast<std::uint64_t>(cache.shape().layers) *
                         static_cast<std::uint64_t>(cache.shape().kv_heads);
}

PoolReport PoolSampler::report(const RequestBatch& batch) const {
  const BlockPool& pool = *services_.runtime.pool;
  PoolReport report{.capacity_blocks = pool.capacity_blocks(),
                    .live_blocks = pool.live_blocks(),
                    .shared_blocks = pool.shared_blocks(),
                    .block_bytes = pool.block_bytes(),
                    .block_tokens = pool.block_tokens(),
                    .requests = static_cast<int>(batch.size()),
                    .decoding = counters_.decoding(),
                    .step_seconds = step_seconds_};
  for (const ServedRequest& request : batch.requests()) add_request(request, report);
  return report;
}

void PoolSampler::publish_passes(RequestBatch& batch) const {
  for (const ServedRequest& request : batch.requests()) {
    DecodeEvictionStage* eviction = request.task->decode().eviction();
    if (eviction == nullptr) continue;
    for (const CompactionPass& pass : eviction->take_passes())
      services_.events.publish(events::CacheCompacted{.request = request.arrival.id,
                                                      .context_id = request.task->record().context_id,
                                                      .decoded_tokens = static_cast<std::uint64_t>(pass.step),
                                                      .blocks_freed = static_cast<std::uint64_t>(pass.blocks_freed),
                                                      .slot_copies = static_cast<std::uint64_t>(pass.slot_copies),
                                                      .seconds = pass.seconds});
  }
}

void PoolSampler::sample(const RequestBatch& batch, bool ended) {
  const RunCounters::DecodeSteps now = counters_.decode_steps();
  const std::uint64_t steps = now.steps - seen_.steps;
  if (!ended && steps < decode_steps_apart) return;
  if (steps > 0) step_seconds_ = (now.seconds - seen_.seconds) / static_cast<double>(steps);
  seen_ = now;
  services_.events.publish(events::PoolSampled{report(batch)});
}

}  // namespace kvantage::inline scheduler
