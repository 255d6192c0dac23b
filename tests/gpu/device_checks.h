// Checks of a tier in device memory, each of which returns what is wrong, or nothing: the same for the host double,
// under Qt Test, and for a GPU, in a program that needs core and gpu alone.
#pragma once

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "core/base/random.h"
#include "core/base/units.h"
#include "gpu/device/device_accelerator.h"
#include "tiers/buffer_pool.h"
#include "tiers/queued_tier.h"

namespace kvantage::testing {

/// Empty: the claim holds.
using Complaint = std::string;

struct DeviceBench {
  std::shared_ptr<Accelerator> accelerator;
  std::unique_ptr<StorageTier> tier;
  std::unique_ptr<BufferPool> buffers;  // goes first: nothing is in flight in a check that has ended
};

/// `straight`: buffers are pinned, so that copies need no staging.
inline Expected<DeviceBench> open_bench(const std::shared_ptr<gpu::DeviceMemory>& memory, std::uint64_t bytes,
                                        bool straight) {
  auto accelerator = gpu::DeviceAccelerator::open(memory);
  if (!accelerator) return tl::unexpected(accelerator.error());
  DeviceBench bench;
  bench.accelerator = std::move(*accelerator);
  auto store = bench.accelerator->open_store("device", bytes);
  if (!store) return tl::unexpected(store.error());
  auto tier = QueuedTier::open(std::move(*store), bytes, 0, system_executor());
  if (!tier) return tl::unexpected(tier.error());
  bench.tier = std::move(*tier);
  const auto pin = [accelerator = bench.accelerator](std::span<std::byte> span) { return accelerator->pin(span); };
  bench.buffers =
      std::make_unique<BufferPool>(std::size_t{128} << 20, straight ? BufferPool::Pin(pin) : BufferPool::Pin());
  return bench;
}

using DeviceBytes = std::vector<std::byte>;

inline std::shared_ptr<const DeviceBytes> bytes_of(std::uint64_t seed, std::size_t count) {
  auto bytes = std::make_shared<DeviceBytes>(count);
  Random random(seed);
  for (std::size_t at = 0; at < count; at += 8) {
    const std::uint64_t word = random.next();
    std::memcpy(bytes->data() + at, &word, std::min<std::size_t>(8, count - at));
  }
  return bytes;
}

inline Status put_entry(StorageTier& tier, const std::string& name, std::shared_ptr<const DeviceBytes> bytes) {
  CompletionQueue queue(system_executor().clock());
  const EntryInfo info{digest_of(name), bytes->size(), std::min<std::uint64_t>(4096, bytes->size()), name};
  tier.submit_write(info, std::move(bytes), queue);
  const auto done = queue.wait(60);
  return done.size() == 1 ? done.front().status : fail(ErrorCode::internal, "a write that never ends");
}

inline std::vector<std::unique_ptr<LeasedBuffer>> buffers_for(BufferPool& pool,
                                                              const std::vector<ReadExtent>& extents) {
  std::vector<std::unique_ptr<LeasedBuffer>> buffers;
  for (const ReadExtent& extent : extents) {
    auto buffer = pool.lease(extent.bytes);
    buffers.push_back(buffer ? std::move(*buffer) : nullptr);
  }
  return buffers;
}

/// Layers of `layer_bytes`, the last one shorter, with a checksum each.
inline std::vector<ReadExtent> layers_of(const DeviceBytes& bytes, std::uint64_t layer_bytes) {
  std::vector<ReadExtent> extents;
  for (std::uint64_t at = 0; at < bytes.size(); at += layer_bytes) {
    const std::uint64_t count = std::min<std::uint64_t>(layer_bytes, bytes.size() - at);
    extents.push_back({at, count, {{at, count, checksum_of(std::span(bytes).subspan(at, count))}}});
  }
  return extents;
}

/// Reads and compares; `each` is called as each extent arrives.
template <class Each>
Complaint read_back(DeviceBench& bench, const std::string& name, const DeviceBytes& expected,
                    const std::vector<ReadExtent>& extents, const Each& each) {
  CompletionQueue queue(system_executor().clock());
  bench.tier->submit_read(digest_of(name), extents, buffers_for(*bench.buffers, extents), queue);
  Complaint first;  // returned when the read has ended: the queue has to be there until then
  const auto complain = [&first, &name](const std::string& what) {
    if (first.empty()) first = name + ": " + what;
  };
  std::size_t arrived = 0;
  for (bool ended = false; !ended;) {
    auto done = queue.wait(60);
    if (done.empty()) std::abort();  // a read that never ends
    for (const Completion& completion : done) {
      ended = completion.last;
      if (completion.index != arrived++) complain("layers arrive out of order");
      if (!completion.status) {
        complain(completion.status.error().message);
        continue;
      }
      const ReadExtent& extent = extents[completion.index];
      if (std::memcmp(completion.buffer->bytes().data(), expected.data() + extent.offset, extent.bytes) != 0)
        complain("other bytes came back");
      each(completion.index);
    }
  }
  return first;
}
inline Complaint read_back(DeviceBench& bench, const std::string& name, const DeviceBytes& expected,
                           const std::vector<ReadExtent>& extents) {
  return read_back(bench, name, expected, extents, [](std::size_t) {});
}

/// Ragged entries come, go and are replaced; what is read is what was written, and the gauges add up.
inline Complaint ragged_entries_come_back(DeviceBench& bench, std::uint64_t seed, int rounds) {
  Random random(seed);
  std::map<std::string, std::shared_ptr<const DeviceBytes>> held;
  const DeviceGauges before = bench.accelerator->gauges();
  std::uint64_t written = 0, read = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::string name = std::to_string(random.below(12));
    const std::uint64_t kind = random.below(6);
    if (kind == 0) {
      if (!bench.tier->erase(digest_of(name))) return "an erase failed";
      held.erase(name);
    } else if (kind <= 2 || !held.contains(name)) {
      const std::uint64_t most = random.below(4) == 0 ? std::uint64_t{13} << 20 : 300000;
      const auto bytes = bytes_of(random.next(), 1 + random.below(most));
      if (const Status stored = put_entry(*bench.tier, name, bytes); !stored) return stored.error().message;
      held[name] = bytes;
      written += bytes->size();
    } else {
      const DeviceBytes& bytes = *held.at(name);
      const auto extents =
          layers_of(bytes, 1 + random.below(bytes.size() < 100000 ? 40000 : 6000000) + bytes.size() / 64);
      if (Complaint wrong = read_back(bench, name, bytes, extents); !wrong.empty()) return wrong;
      read += bytes.size();
    }
  }
  const DeviceGauges after = bench.accelerator->gauges();
  if (after.to_device.bytes - before.to_device.bytes != written)
    return "bytes to the device are not those that were written";
  if (after.from_device.bytes - before.from_device.bytes != read)
    return "bytes from the device are not those that were read";
  std::uint64_t used = 0;
  for (const auto& [name, bytes] : held)
    used += (bytes->size() + gpu::DevicePool::block_bytes - 1) / gpu::DevicePool::block_bytes *
            gpu::DevicePool::block_bytes;
  for (int tries = 0; tries < 200 && bench.accelerator->gauges().used_bytes != used;
       ++tries)  // erased in the background, on the writing thread
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  if (bench.accelerator->gauges().used_bytes != used) return "blocks in use are not those of the entries held";
  for (const auto& [name, bytes] : held) (void)bench.tier->erase(digest_of(name));
  for (int tries = 0; tries < 200 && bench.accelerator->gauges().used_bytes != 0; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return bench.accelerator->gauges().used_bytes == 0 ? Complaint()
                                                     : Complaint("blocks stay in use when every entry is gone");
}

/// Reads that are given up give their buffers back, no copy continues into them, and later reads are right.
inline Complaint cancelled_reads_leave_nothing(DeviceBench& bench, int rounds) {
  const auto bytes = bytes_of(7, (std::size_t{24} << 20) + 777);
  if (const Status stored = put_entry(*bench.tier, "cancelled", bytes); !stored) return stored.error().message;
  const auto extents = layers_of(*bytes, 3 << 20);
  CompletionQueue queue(system_executor().clock());
  int given_up = 0;
  for (int round = 0; round < rounds; ++round) {
    const Ticket ticket =
        bench.tier->submit_read(digest_of("cancelled"), extents, buffers_for(*bench.buffers, extents), queue);
    std::this_thread::sleep_for(std::chrono::microseconds(round % 7 * 300));
    bench.tier->cancel(ticket);
    Complaint other;
    for (bool ended = false; !ended;)
      for (const Completion& completion : queue.wait(60)) {
        ended = completion.last;
        if (!completion.status && completion.status.error().code != ErrorCode::cancelled)
          other = completion.status.error().message;
        if (completion.last && !completion.status) ++given_up;
      }
    if (!other.empty()) return other;
    if (bench.buffers->leased_bytes() != 0) return "a cancelled read keeps buffers";
  }
  if (given_up == 0) return "no read was given up in time";
  return read_back(bench, "cancelled", *bytes, extents);
}

struct OverlapTimes {
  double copies = 0, compute = 0, both = 0;  // seconds; best of the rounds
  /// Of the shorter of the two, how much continued beside the other, [0, 1].
  double hidden() const { return std::clamp((copies + compute - both) / std::min(copies, compute), 0.0, 1.0); }
};

/// An entry read in layers, then layers that are computed as they arrive. `compute` takes as long as a layer's copy
/// here. The best of so many rounds, or the first in which more than `enough` is hidden.
inline Expected<OverlapTimes> time_overlap(DeviceBench& bench, std::size_t entry_bytes, std::size_t layers, int rounds,
                                           double enough = 1) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  const auto bytes = bytes_of(3, entry_bytes);
  KV_TRY(put_entry(*bench.tier, "layers", bytes));
  const auto extents = layers_of(*bytes, (entry_bytes + layers - 1) / layers);
  OverlapTimes best{1e9, 1e9, 1e9};
  for (int round = 0; round < rounds; ++round) {
    const auto start = Clock::now();
    const auto arrive = [&](const auto& each) -> Status {  // as read_back, without the time of comparing
      CompletionQueue queue(system_executor().clock());
      bench.tier->submit_read(digest_of("layers"), extents, buffers_for(*bench.buffers, extents), queue);
      Status all;
      for (bool ended = false; !ended;)
        for (const Completion& completion : queue.wait(60)) {
          ended = completion.last;
          if (!completion.status) all = completion.status;
          each();
        }
      return all;
    };
    KV_TRY(arrive([] {}));
    best.copies = std::min(best.copies, since(start));
    const double layer_seconds = best.copies / static_cast<double>(layers);
    const auto compute = [&] {
      const auto until =
          Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(layer_seconds));
      while (Clock::now() < until) {
      }
    };
    const auto computed = Clock::now();
    for (std::size_t layer = 0; layer < extents.size(); ++layer) compute();
    const double compute_seconds = since(computed);
    const auto together = Clock::now();
    KV_TRY(arrive(compute));
    const double both = since(together);
    if (both < best.both) best = {best.copies, compute_seconds, both};
    if (best.hidden() > enough) break;
  }
  (void)bench.tier->erase(digest_of("layers"));
  return best;
}

/// Rates achieved are below the peaks measured.
inline Complaint peaks_are_above_what_is_achieved(const DeviceGauges& gauges) {
  for (const auto& [name, copies] :
       {std::pair{"to the device", gauges.to_device}, std::pair{"from the device", gauges.from_device}}) {
    if (copies.peak_bytes_per_second <= 0) return std::string("no peak was measured ") + name;
    if (copies.bytes_per_second() > copies.peak_bytes_per_second * 1.02)
      return std::string(name) + ": " + format_bytes(static_cast<std::uint64_t>(copies.bytes_per_second())) +
             "/s are above the peak of " + format_bytes(static_cast<std::uint64_t>(copies.peak_bytes_per_second)) +
             "/s";
  }
  const double overlap = gauges.overlap_share();
  return overlap >= 0 && overlap <= 1 ? Complaint() : Complaint("a share outside of 0 to 1");
}

}  // namespace kvantage::testing
