// The device tier on a GPU: what device_tier_test holds it to over its double. No Qt: core and gpu alone.
#include "gpu/device/leaf_sums.h"
#include "tests/gpu/device_checks.h"
#include "tests/gpu/device_under_test.h"

using namespace kvantage;
using namespace kvantage::testing;

namespace {

int failures = 0;

void claim(const char* what, const Complaint& wrong) {
  std::printf("%s %s%s%s\n", wrong.empty() ? "PASS" : "FAIL", what, wrong.empty() ? "" : ": ", wrong.c_str());
  std::fflush(stdout);
  if (!wrong.empty()) ++failures;
}

Complaint without_leaving_anything(const std::shared_ptr<gpu::DeviceMemory>& memory) {
  // Contexts of a driver grow at their first use, so the second and the third opening are compared.
  std::uint64_t free = 0;
  for (int round = 0; round < 3; ++round) {
    {
      auto bench = open_bench(memory, 0, true);
      if (!bench) return bench.error().message;
      if (Complaint wrong = ragged_entries_come_back(*bench, 40, 30); !wrong.empty()) return wrong;
    }
    const std::uint64_t now = memory->free_bytes();
    if (round == 2 && now + (1 << 20) < free) return "memory of the device was not given back";
    free = now;
  }
  return {};
}

/// The device's own checksums are those of the bytes, and tell one changed byte.
Complaint checksums_are_those_of_the_bytes(gpu::DeviceMemory& memory) {
  constexpr std::uint64_t size = 9000001;
  auto bytes = *bytes_of(5, size);
  const auto address = memory.allocate((size / gpu::DevicePool::block_bytes + 1) * gpu::DevicePool::block_bytes);
  if (!address) return address.error().message;
  const gpu::DeviceRuns runs{{*address, (size / gpu::DevicePool::block_bytes + 1) * gpu::DevicePool::block_bytes}};
  Complaint wrong;
  for (const bool changed : {false, true}) {
    const std::uint64_t before = gpu::leaf_sum_of(bytes);
    if (changed) bytes[size / 2] ^= std::byte{1};
    const auto copy = memory.copy_in(*address, bytes);
    const Status copied = copy ? (*copy)->wait().map([](double) {}) : Status(tl::unexpected(copy.error()));
    const auto sum = gpu::leaf_sum_on_device(memory, runs, 0, size);
    if (!copied || !sum)
      wrong = copied ? sum.error().message : copied.error().message;
    else if (*sum != gpu::leaf_sum_of(bytes))
      wrong = "the device has another sum than the host";
    else if (changed == (*sum == before))
      wrong = "a changed byte changes no sum";
  }
  memory.release(*address);
  return wrong;
}

Complaint refuses_more_than_there_is(const std::shared_ptr<gpu::DeviceMemory>& memory) {
  const auto bench = open_bench(memory, std::uint64_t{1} << 50, false);
  if (bench) return "a tier of a petabyte was opened";
  return bench.error().code == ErrorCode::rejected_input ? Complaint() : bench.error().message;
}

}  // namespace

int main() {
  const std::shared_ptr<gpu::DeviceMemory> memory = device_or_skip();
  const AcceleratorInfo info = memory->info();
  std::printf("%s, %s, %s, %s free\n", info.name.c_str(), info.driver.c_str(), format_bytes(info.memory_bytes).c_str(),
              format_bytes(memory->free_bytes()).c_str());
  for (const bool straight : {true, false}) {
    auto bench = open_bench(memory, 0, straight);
    if (!bench) {
      claim("opens", bench.error().message);
      return 1;
    }
    std::printf("%s:\n", straight ? "straight into pinned buffers" : "through staging");
    for (std::uint64_t seed = 1; seed <= 3; ++seed)
      claim("ragged entries come back", ragged_entries_come_back(*bench, seed, 200));
    claim("cancelled reads leave nothing", cancelled_reads_leave_nothing(*bench, 100));
    const auto times = time_overlap(*bench, std::size_t{96} << 20, 24, 5);
    if (times)
      std::printf("copies %.2f ms, computation %.2f ms, both %.2f ms: %.0f %% of the shorter hidden\n",
                  times->copies * 1e3, times->compute * 1e3, times->both * 1e3, times->hidden() * 100);
    claim("copies continue beside the computation", !times                  ? times.error().message
                                                    : times->hidden() > 0.3 ? Complaint()
                                                                            : "hardly anything is hidden");
    const DeviceGauges gauges = bench->accelerator->gauges();
    std::printf(
        "to the device %.2f of %.2f GB/s, from it %.2f of %.2f GB/s, overlap with the tier's own work %.0f %%\n",
        gauges.to_device.bytes_per_second() / 1e9, gauges.to_device.peak_bytes_per_second / 1e9,
        gauges.from_device.bytes_per_second() / 1e9, gauges.from_device.peak_bytes_per_second / 1e9,
        gauges.overlap_share() * 100);
    claim("peaks are above what is achieved", peaks_are_above_what_is_achieved(gauges));
  }
  claim("the device's checksums are those of the bytes", checksums_are_those_of_the_bytes(*memory));
  claim("nothing is left on the device", without_leaving_anything(memory));
  claim("more than there is is refused", refuses_more_than_there_is(memory));
  std::printf("%d failed\n", failures);
  return failures == 0 ? 0 : 1;
}
