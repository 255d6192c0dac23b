// How fast entries come from a GPU's memory and go to it, as a share of the peak of pinned copies of 16 MiB: through
// the tier, with checksums, as a load does it. Wall time; the best of several, as other work on the machine only makes
// it longer. Ends with 1 where the copies of large entries, by the device's own events, are below 0.9 of the peak.
#include "tests/gpu/device_checks.h"
#include "tests/gpu/device_under_test.h"

using namespace kvantage;
using namespace kvantage::testing;

namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

constexpr int rounds = 8;
constexpr double share_asked = 0.9;
constexpr std::size_t large_mebibytes = 16;

/// Rate of the copies between two gauges as a share of the peak.
double copied_share(const CopyGauge& before, const CopyGauge& after) {
  const double seconds = after.seconds - before.seconds;
  return seconds > 0 ? static_cast<double>(after.bytes - before.bytes) / seconds / after.peak_bytes_per_second : 0;
}

Expected<double> best_write(DeviceBench& bench, const std::shared_ptr<const DeviceBytes>& bytes) {
  double best = 1e9;
  for (int round = 0; round < rounds; ++round) {
    const auto start = Clock::now();
    KV_TRY(put_entry(*bench.tier, "entry", bytes));
    best = std::min(best, since(start));
  }
  return best;
}

Expected<double> best_read(DeviceBench& bench, const std::vector<ReadExtent>& extents) {
  double best = 1e9;
  for (int round = 0; round < rounds; ++round) {
    CompletionQueue queue(system_executor().clock());
    auto buffers = buffers_for(*bench.buffers, extents);
    const auto start = Clock::now();
    bench.tier->submit_read(digest_of("entry"), extents, std::move(buffers), queue);
    Status all;
    for (bool ended = false; !ended;)
      for (const Completion& completion : queue.wait(60)) {
        ended = completion.last;
        if (!completion.status) all = completion.status;
      }
    KV_TRY(std::move(all));
    best = std::min(best, since(start));
  }
  return best;
}

/// False where large entries are copied too slowly.
Expected<bool> measure(const std::shared_ptr<gpu::DeviceMemory>& memory, bool straight) {
  auto bench = open_bench(memory, 0, straight);
  if (!bench) return tl::unexpected(bench.error());
  const DeviceGauges peaks = bench->accelerator->gauges();
  std::printf("%s; peaks: to the device %.2f GB/s, from it %.2f GB/s\n",
              straight ? "straight into pinned buffers" : "through staging",
              peaks.to_device.peak_bytes_per_second / 1e9, peaks.from_device.peak_bytes_per_second / 1e9);
  std::printf("%10s %8s  %21s  %21s\n", "entry", "layers", "write", "read, verified");
  DeviceGauges before_large;
  for (const std::size_t mebibytes : {1, 4, 16, 64, 120}) {
    if (mebibytes == large_mebibytes) before_large = bench->accelerator->gauges();
    const auto bytes = bytes_of(mebibytes, mebibytes << 20);
    for (const std::size_t layers : {std::size_t{1}, std::size_t{32}}) {
      const auto written = best_write(*bench, bytes);
      if (!written) return tl::unexpected(written.error());
      const auto read = best_read(*bench, layers_of(*bytes, bytes->size() / layers));
      if (!read) return tl::unexpected(read.error());
      const double to = static_cast<double>(bytes->size()) / *written,
                   from = static_cast<double>(bytes->size()) / *read;
      std::printf("%6zu MiB %8zu  %7.2f GB/s (%4.0f %%)  %7.2f GB/s (%4.0f %%)\n", mebibytes, layers, to / 1e9,
                  100 * to / peaks.to_device.peak_bytes_per_second, from / 1e9,
                  100 * from / peaks.from_device.peak_bytes_per_second);
    }
  }
  const DeviceGauges after = bench->accelerator->gauges();
  const double to = copied_share(before_large.to_device, after.to_device),
               from = copied_share(before_large.from_device, after.from_device);
  std::printf(
      "copies of entries from %zu MiB on, by the device's events: %.0f %% of the peak to it, %.0f %% from it (asked "
      "%.0f %%)\n",
      large_mebibytes, 100 * to, 100 * from, 100 * share_asked);
  return to >= share_asked && from >= share_asked;
}

}  // namespace

int main() {
  const std::shared_ptr<gpu::DeviceMemory> memory = device_or_skip();
  std::printf("%s, %s\n", memory->info().name.c_str(), memory->info().driver.c_str());
  bool fast = true;
  for (const bool straight : {true, false}) {
    const auto measured = measure(memory, straight);
    if (!measured) {
      std::printf("error: %s\n", measured.error().message.c_str());
      return 1;
    }
    fast = fast && *measured;
  }
  if (!fast) std::printf("FAIL: copies are below the share of the peak that is asked\n");
  return fast ? 0 : 1;
}
