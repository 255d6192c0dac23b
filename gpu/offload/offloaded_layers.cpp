#include "gpu/offload/offloaded_layers.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/random.h"

namespace kvantage::gpu {
namespace {

constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

std::size_t plane_bytes(const OffloadShape& shape) {
  return static_cast<std::size_t>(shape.page_tokens * shape.head_dim) * sizeof(std::uint16_t);
}
std::size_t block_bytes(const OffloadShape& shape) {
  return aligned(2 * plane_bytes(shape) + static_cast<std::size_t>(shape.page_tokens) * sizeof(std::int32_t));
}
std::size_t input_bytes(const OffloadShape& shape, int tokens) {
  return static_cast<std::size_t>(tokens) * static_cast<std::size_t>(shape.hidden) * sizeof(std::uint16_t);
}

std::vector<std::uint16_t> random_numbers(Random& random, std::size_t count, float spread) {
  std::vector<std::uint16_t> numbers(count);
  const std::size_t drawn = std::min(count, (std::size_t{1} << 20) + 7);  // then repeated: nothing here looks that far
  for (std::size_t i = 0; i < count; ++i)
    numbers[i] = i < drawn ? narrowed(spread * static_cast<float>(random.normal())) : numbers[i - drawn];
  return numbers;
}

template <class T>
Status take(Expected<T> made, T& into) {
  KV_ASSIGN(into, std::move(made));
  return {};
}

double median(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  return numbers[numbers.size() / 2];
}

}  // namespace

std::size_t OffloadShape::page_bytes() const { return static_cast<std::size_t>(kv_heads) * block_bytes(*this); }

Expected<OffloadedLayers> OffloadedLayers::random(const OffloadShape& shape, std::uint64_t seed) {
  if (shape.page_tokens < 1 || shape.tokens < shape.page_tokens || shape.tokens % shape.page_tokens != 0)
    return fail(ErrorCode::usage, "offloaded layers: a context has whole pages of tokens, at least one");
  OffloadedLayers made;
  made.shape_ = shape;
  const int pages = shape.pages();
  std::vector<std::int32_t> blocks, first_block, positions(static_cast<std::size_t>(shape.tokens));
  for (int head = 0; head < shape.kv_heads; ++head) {
    first_block.push_back(head * pages);
    for (int page = 0; page < pages; ++page) blocks.push_back(page * shape.kv_heads + head);
  }
  std::iota(positions.begin(), positions.end(), 0);
  std::vector<float> frequencies;
  for (int f = 0; f < shape.head_dim / 2; ++f)
    frequencies.push_back(std::pow(10000.0F, -2.0F * static_cast<float>(f) / static_cast<float>(shape.head_dim)));
  KV_TRY(take(DeviceArray<std::int32_t>::of(blocks), made.blocks_));
  KV_TRY(take(DeviceArray<std::int32_t>::of(first_block), made.first_block_));
  KV_TRY(take(
      DeviceArray<std::int32_t>::of(std::vector<std::int32_t>(static_cast<std::size_t>(shape.kv_heads), shape.tokens)),
      made.kept_));
  KV_TRY(take(DeviceArray<std::int32_t>::of(positions), made.positions_));
  KV_TRY(take(DeviceArray<float>::of(frequencies), made.frequencies_));
  const auto row_numbers = static_cast<std::size_t>(shape.kv_heads * shape.group * shape.head_dim);
  KV_TRY(take(DeviceArray<std::uint16_t>::zeros(row_numbers * static_cast<std::size_t>(shape.layers)), made.queries_));
  KV_TRY(take(DeviceArray<std::uint16_t>::zeros(made.queries_.size()), made.outputs_));
  for (int i = 0; i < 2; ++i) {
    KV_ASSIGN(auto stream, DeviceStream::create());
    made.streams_.push_back(std::move(stream));
    KV_ASSIGN(auto buffer, made.make_buffer());
    made.buffers_.push_back(std::move(buffer));
  }
  const std::size_t scratch = attend_scratch_bytes(made.heads(made.buffers_[0]), {.group = shape.group}, shape.tokens);
  KV_TRY(take(DeviceBytes::allocate(scratch), made.scratch_));
  KV_TRY(made.scratch_.copy_in(std::vector<std::byte>(scratch)));
  for (int layer = 0; layer < shape.layers; ++layer) {
    made.layers_.emplace_back();
    KV_TRY(made.fill_layer(made.layers_.back(), seed + static_cast<std::uint64_t>(layer)));
  }
  return made;
}

Expected<OffloadedLayers::Buffer> OffloadedLayers::make_buffer() const {
  std::vector<DeviceEvent> events;
  for (int i = 0; i < 7; ++i) {
    KV_ASSIGN(auto event, DeviceEvent::create());
    events.push_back(std::move(event));
  }
  Buffer made{{},
              {},
              std::move(events[0]),
              std::move(events[1]),
              std::move(events[2]),
              std::move(events[3]),
              std::move(events[4]),
              std::move(events[5]),
              std::move(events[6])};
  KV_TRY(take(DeviceBytes::allocate(input_bytes(shape_, shape_.tokens)), made.inputs));
  KV_TRY(take(DeviceBytes::allocate(static_cast<std::size_t>(shape_.pages()) * shape_.page_bytes()), made.arena));
  return made;
}

PagedHeads OffloadedLayers::heads(const Buffer& buffer) const {
  PagedHeads heads;
  heads.arena = reinterpret_cast<unsigned char*>(buffer.arena.data());
  heads.values_at = plane_bytes(shape_);
  heads.positions_at = 2 * heads.values_at;
  heads.block_bytes = block_bytes(shape_);
  heads.block_tokens = shape_.page_tokens;
  heads.head_dim = shape_.head_dim;
  heads.heads = shape_.kv_heads;
  heads.blocks = blocks_.data();
  heads.first_block = first_block_.data();
  heads.kept = kept_.data();
  return heads;
}

Status OffloadedLayers::fill_layer(Layer& layer, std::uint64_t seed) {
  Random random(seed);
  const auto width = static_cast<std::size_t>(shape_.kv_heads * shape_.head_dim),
             hidden = static_cast<std::size_t>(shape_.hidden);
  for (DeviceBytes* const matrix : {&layer.key, &layer.value}) {
    const auto numbers = random_numbers(random, width * hidden, 1 / std::sqrt(static_cast<float>(shape_.hidden)));
    KV_TRY(take(DeviceBytes::allocate(numbers.size() * sizeof(std::uint16_t)), *matrix));
    KV_TRY(matrix->copy_in(std::as_bytes(std::span(numbers))));
  }
  const auto inputs = random_numbers(random, static_cast<std::size_t>(shape_.tokens) * hidden, 1);
  Buffer& buffer = buffers_[0];
  KV_TRY(take(PinnedBytes::allocate(input_bytes(shape_, shape_.tokens)), layer.inputs));
  std::ranges::copy(std::as_bytes(std::span(inputs)), layer.inputs.bytes().begin());
  KV_TRY(buffer.inputs.copy_in(layer.inputs.bytes()));
  KV_TRY(buffer.arena.copy_in(std::vector<std::byte>(buffer.arena.size())));
  KV_TRY(recompute(layer, buffer, shape_.tokens));
  KV_TRY(synchronize(streams_[1].get()));
  KV_TRY(take(PinnedBytes::allocate(buffer.arena.size()), layer.pages));
  return buffer.arena.copy_out(layer.pages.bytes());
}

Status OffloadedLayers::ship(const Layer& layer, Buffer& buffer, int recomputed_tokens) {
  const Stream copies = streams_[0].get();
  KV_TRY(buffer.copies_begun.record(copies));
  if (recomputed_tokens > 0)
    KV_TRY(copy_in_later(buffer.inputs.data(), layer.inputs.bytes().first(input_bytes(shape_, recomputed_tokens)),
                         copies));
  KV_TRY(buffer.inputs_arrived.record(copies));
  const std::size_t first = static_cast<std::size_t>(recomputed_tokens / shape_.page_tokens) * shape_.page_bytes();
  if (first < buffer.arena.size())
    KV_TRY(copy_in_later(buffer.arena.data() + first, layer.pages.bytes().subspan(first), copies));
  return buffer.all_arrived.record(copies);
}

Status OffloadedLayers::recompute(const Layer& layer, Buffer& buffer, int tokens) {
  const Stream computing = streams_[1].get();
  KV_TRY(buffer.recompute_begun.record(computing));
  KvProjection projection;
  projection.key = reinterpret_cast<const std::uint16_t*>(layer.key.data());
  projection.value = reinterpret_cast<const std::uint16_t*>(layer.value.data());
  projection.frequencies = frequencies_.data();
  projection.hidden = shape_.hidden;
  KV_TRY(launch_recompute_kv({reinterpret_cast<const std::uint16_t*>(buffer.inputs.data()), positions_.data(), tokens},
                             projection, heads(buffer), 0, computing));
  return buffer.recomputed.record(computing);
}

Status OffloadedLayers::attend(Buffer& buffer, int layer) {
  const Stream computing = streams_[1].get();
  const auto row_numbers = static_cast<std::size_t>(shape_.kv_heads * shape_.group * shape_.head_dim),
             at = static_cast<std::size_t>(layer) * row_numbers;
  KV_TRY(buffer.attend_begun.record(computing));
  KV_TRY(launch_attend_paged(heads(buffer),
                             {queries_.data() + at, shape_.group, 1 / std::sqrt(static_cast<float>(shape_.head_dim))},
                             shape_.tokens, scratch_.data(), outputs_.data() + at, computing));
  return buffer.done.record(computing);
}

Expected<OffloadStep> OffloadedLayers::step(int recomputed_tokens, std::span<const std::uint16_t> queries,
                                            std::vector<std::uint16_t>& outputs) {
  if (recomputed_tokens < 0 || recomputed_tokens > shape_.tokens || recomputed_tokens % shape_.page_tokens != 0 ||
      queries.size() != queries_.size())
    return fail(ErrorCode::usage,
                "offloaded layers: whole pages of the context are recomputed, for a query of each head and layer");
  KV_ASSIGN(auto again, DeviceArray<std::uint16_t>::of(queries));
  queries_ = std::move(again);
  KV_ASSIGN(auto begun, DeviceEvent::create());
  auto told = run_layers(recomputed_tokens, begun);
  if (!told) {
    for (const DeviceStream& stream : streams_) (void)synchronize(stream.get());
    return told;
  }
  KV_ASSIGN(auto numbers, outputs_.numbers());
  outputs = std::move(numbers);
  return told;
}

Expected<OffloadStep> OffloadedLayers::run_layers(int recomputed_tokens, DeviceEvent& begun) {
  const Stream copies = streams_[0].get(), computing = streams_[1].get();
  // A buffer's events are re-recorded two layers later, so their times are read before: by then that layer is complete.
  OffloadStep told;
  KV_TRY(begun.record(copies));
  KV_TRY(begun.hold(computing));
  const auto tell = [&](const Buffer& buffer) -> Status {
    const std::pair<double*, std::pair<const DeviceEvent*, const DeviceEvent*>> parts[] = {
        {&told.link_seconds, {&buffer.copies_begun, &buffer.all_arrived}},
        {&told.recompute_seconds, {&buffer.recompute_begun, &buffer.recomputed}},
        {&told.attend_seconds, {&buffer.attend_begun, &buffer.done}}};
    for (const auto& [sum, ends] : parts) {
      if (sum == &told.recompute_seconds && recomputed_tokens == 0) continue;
      KV_ASSIGN(const auto seconds, ends.second->seconds_since(*ends.first));
      *sum += seconds;
    }
    KV_ASSIGN(const auto whole, buffer.done.seconds_since(begun));
    told.seconds = std::max(told.seconds, whole);
    return {};
  };
  for (int i = 0; i < shape_.layers; ++i) {
    Buffer& buffer = buffers_[static_cast<std::size_t>(i % 2)];
    const Layer& layer = layers_[static_cast<std::size_t>(i)];
    if (i >= 2) {
      KV_TRY(buffer.done.wait());
      KV_TRY(tell(buffer));
    }
    KV_TRY(ship(layer, buffer, recomputed_tokens));
    if (recomputed_tokens > 0) {
      KV_TRY(buffer.inputs_arrived.hold(computing));
      KV_TRY(recompute(layer, buffer, recomputed_tokens));
    }
    KV_TRY(buffer.all_arrived.hold(computing));
    KV_TRY(attend(buffer, i));
    told.input_bytes += input_bytes(shape_, recomputed_tokens);
    told.kv_bytes +=
        static_cast<std::uint64_t>(shape_.pages() - recomputed_tokens / shape_.page_tokens) * shape_.page_bytes();
  }
  KV_TRY(synchronize(computing));
  for (int i = std::max(0, shape_.layers - 2); i < shape_.layers; ++i)
    KV_TRY(tell(buffers_[static_cast<std::size_t>(i % 2)]));
  return told;
}

Expected<RecomputeCosts> OffloadedLayers::profile(int rounds) {
  Buffer& buffer = buffers_[0];
  const Layer& layer = layers_[0];
  const auto timed = [&](const auto& work, const DeviceEvent& from, const DeviceEvent& to,
                         Stream stream) -> Expected<double> {
    std::vector<double> seconds;
    for (int round = 0; round <= rounds; ++round) {
      KV_TRY(work());
      KV_TRY(synchronize(stream));
      KV_ASSIGN(const auto took, to.seconds_since(from));
      if (round > 0) seconds.push_back(took);  // the first one warms up
    }
    return median(std::move(seconds));
  };
  const Stream copies = streams_[0].get(), computing = streams_[1].get();
  const int tokens = shape_.tokens, half = std::max(shape_.page_tokens, shape_.pages() / 2 * shape_.page_tokens);
  RecomputeCosts costs;
  costs.overlap = TransferOverlap::across_layers;
  double of_all = 0, of_half = 0;
  KV_TRY(take(timed([&] { return ship(layer, buffer, tokens); }, buffer.copies_begun, buffer.all_arrived, copies),
              of_all));
  costs.input_seconds = of_all / tokens;
  KV_TRY(take(timed([&] { return ship(layer, buffer, 0); }, buffer.copies_begun, buffer.all_arrived, copies), of_all));
  costs.kv_seconds = of_all / tokens;
  KV_TRY(take(
      timed([&] { return recompute(layer, buffer, tokens); }, buffer.recompute_begun, buffer.recomputed, computing),
      of_all));
  KV_TRY(
      take(timed([&] { return recompute(layer, buffer, half); }, buffer.recompute_begun, buffer.recomputed, computing),
           of_half));
  costs.recompute_seconds = half < tokens ? std::max(0.0, of_all - of_half) / (tokens - half) : of_all / tokens;
  costs.recompute_fixed_seconds = std::max(0.0, of_all - costs.recompute_seconds * tokens);
  KV_TRY(
      take(timed([&] { return attend(buffer, 0); }, buffer.attend_begun, buffer.done, computing), costs.rest_seconds));
  return costs;
}

}  // namespace kvantage::gpu
