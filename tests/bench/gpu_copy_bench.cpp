// How fast entries come from a GPU's memory and go to it, as a share of the peak of pinned copies of 16 MiB: through the tier, with
// checksums, as a load does it. Wall time; the best of several, as other work on the machine only makes it longer.
#include "tests/gpu/device_checks.h"
#include "tests/gpu/device_under_test.h"

using namespace kvantage;
using namespace kvantage::testing;

namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

constexpr int rounds = 8;

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
    CompletionQueue queue;
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

Status measure(const std::shared_ptr<gpu::DeviceMemory>& memory, bool straight) {
  auto bench = open_bench(memory, 0, straight);
  if (!bench) return tl::unexpected(bench.error());
  const DeviceGauges peaks = bench->accelerator->gauges();
  std::printf("%s; peaks: to the device %.2f GB/s, from it %.2f GB/s\n", straight ? "straight into pinned buffers" : "through staging",
              peaks.to_device.peak_bytes_per_second / 1e9, peaks.from_device.peak_bytes_per_second / 1e9);
  std::printf("%10s %8s  %21s  %21s\n", "entry", "layers", "write", "read, verified");
  for (const std::size_t mebibytes : {1, 4, 16, 64, 120}) {
    const auto bytes = bytes_of(mebibytes, mebibytes << 20);
    for (const std::size_t layers : {std::size_t{1}, std::size_t{32}}) {
      const auto written = best_write(*bench, bytes);
      if (!written) return tl::unexpected(written.error());
      const auto read = best_read(*bench, layers_of(*bytes, bytes->size() / layers));
      if (!read) return tl::unexpected(read.error());
      const double to = static_cast<double>(bytes->size()) / *written, from = static_cast<double>(bytes->size()) / *read;
      std::printf("%6zu MiB %8zu  %7.2f GB/s (%4.0f %%)  %7.2f GB/s (%4.0f %%)\n", mebibytes, layers, to / 1e9,
                  100 * to / peaks.to_device.peak_bytes_per_second, from / 1e9, 100 * from / peaks.from_device.peak_bytes_per_second);
    }
  }
  return {};
}

}  // namespace

int main() {
  const std::shared_ptr<gpu::DeviceMemory> memory = device_or_skip();
  std::printf("%s, %s\n", memory->info().name.c_str(), memory->info().driver.c_str());
  for (const bool straight : {true, false})
    if (const Status measured = measure(memory, straight); !measured) {
      std::printf("error: %s\n", measured.error().message.c_str());
      return 1;
    }
  return 0;
}
