#include "gpu/model/device_decode.h"

#include <algorithm>
#include <bit>

#include "gpu/model/device_prefill.h"

namespace kvantage::gpu {
namespace {

/// Shorter heads share a step, so that growing caches rarely need another one.
constexpr int min_longest = 1024;
/// Each has its own buffers, tables and graph.
constexpr std::size_t max_prepared = 16;

}  // namespace

Expected<DeviceDecode::Prepared*> DeviceDecode::prepare(const CacheArena& arena, int sequences, int longest) {
  const int room = static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::max(longest, min_longest))));
  const std::pair key(sequences, room);
  if (const auto found = prepared_.find(key); found != prepared_.end()) return found->second.get();
  if (prepared_.size() >= max_prepared) {
    streams_.synchronize();  // they may still be running
    prepared_.clear();
  }
  KV_ASSIGN(auto step, DecodeStep::make(weights_, arena, sequences, room));
  return (prepared_[key] = std::make_unique<Prepared>(Prepared{std::move(step), false, nullptr})).get();
}

Status DeviceDecode::step(Prepared& prepared) {
  const Stream stream = streams_.compute_handle();
  if (graphs_ && prepared.ran && prepared.graph == nullptr) {
    KV_ASSIGN(auto graph, record_step([&recorded = prepared.step, stream] { return recorded.run(stream); }));
    prepared.graph = std::move(graph);
  }
  if (graphs_ && prepared.graph != nullptr) {
    prepared.graph->replay();
    return {};
  }
  prepared.ran = true;
  return prepared.step.run(stream);
}

Expected<std::vector<std::int32_t>> DeviceDecode::run(std::span<DeviceCache* const> caches,
                                                      std::span<const std::int32_t> tokens, int steps) {
  if (caches.empty() || caches.size() != tokens.size() || steps < 1)
    return fail(ErrorCode::usage,
                "decode on a device: needs one token per sequence and at least one step; correct the call");
  int longest = 0;
  for (std::size_t s = 0; s < caches.size(); ++s) {
    if (std::ranges::count(caches, caches[s]) != 1)
      return fail(ErrorCode::usage, "decode on a device: a sequence is in the batch twice; correct the call");
    KV_TRY(check_tokens(weights_.config, tokens.subspan(s, 1), caches[s]->sequence_length(), steps));
  }
  for (DeviceCache* cache : caches) {
    KV_TRY(cache->reserve(steps));
    longest = std::max(longest, cache->longest() + steps);
    for (CopyMark& mark : cache->copied) {
      mark.compute_waits(streams_);
      mark = {};
    }
  }
  KV_ASSIGN(const auto prepared, prepare(caches.front()->arena(), static_cast<int>(caches.size()), longest));
  DecodeStep& step_of_all = prepared->step;
  step_of_all.bind(caches, tokens);
  const at::Tensor history =
      at::empty({steps, static_cast<std::int64_t>(caches.size())}, step_of_all.tokens().options());
  int done = 0;
  Status status = device_guarded([&]() -> Status {
    for (; done < steps; ++done) {
      KV_TRY(step(*prepared));
      history.select(0, done).copy_(step_of_all.tokens());
    }
    return {};
  });
  step_of_all.advanced(caches, done);
  logits_ = step_of_all.logits();
  if (!status) {
    step_of_all.forget();
    return tl::unexpected(std::move(status).error());
  }
  const at::Tensor host = history.to(at::kCPU).contiguous();
  const auto* first = host.const_data_ptr<std::int32_t>();
  return std::vector<std::int32_t>(first, first + host.numel());
}

}  // namespace kvantage::gpu
