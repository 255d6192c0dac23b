// The device tier on a GPU: what device_tier_test holds it to over its double. No Qt: core and gpu alone.
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
  claim("nothing is left on the device", without_leaving_anything(memory));
  claim("more than there is is refused", refuses_more_than_there_is(memory));
  std::printf("%d failed\n", failures);
  return failures == 0 ? 0 : 1;
}
