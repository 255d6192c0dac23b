#include "gpu/device/device_accelerator.h"

#include <cstring>

#include "core/base/units.h"
#include "gpu/device/piece_copies.h"

namespace kvantage::gpu {

Expected<std::unique_ptr<Accelerator>> DeviceAccelerator::open(std::shared_ptr<DeviceMemory> memory) {
  std::unique_ptr<DeviceAccelerator> accelerator(new DeviceAccelerator(std::move(memory)));
  KV_TRY(accelerator->time_peaks());
  return accelerator;
}

Status DeviceAccelerator::time_peaks() {
  constexpr std::uint64_t bytes = Staging::slot_count * Staging::slot_bytes;
  constexpr int rounds = 4;  // the first one wakes up the link
  KV_ASSIGN(auto staging, Staging::open(*memory_));
  const std::span<std::byte> host{staging->slot(0).data(), bytes};
  std::memset(host.data(), 1, host.size());
  KV_ASSIGN(const auto device, memory_->allocate(bytes));
  Status timed;
  for (int round = 0; round < rounds && timed; ++round)
    for (const CopyDirection direction : {CopyDirection::to_device, CopyDirection::from_device}) {
      auto copy =
          direction == CopyDirection::to_device ? memory_->copy_in(device, host) : memory_->copy_out(host, device);
      if (!copy) {
        timed = tl::unexpected(std::move(copy).error());
        break;
      }
      const auto seconds = (*copy)->wait();
      if (!seconds)
        timed = tl::unexpected(seconds.error());
      else if (*seconds > 0)
        meter_->raise_peak(direction, static_cast<double>(bytes) / *seconds);
    }
  memory_->release(device);
  return timed;
}

Expected<std::unique_ptr<EntryStore>> DeviceAccelerator::open_store(const std::string& name, std::uint64_t bytes) {
  const PoolCounts counts = pool_->counts();
  const std::uint64_t room = memory_->free_bytes() + counts.held - counts.used;
  if (bytes > room)
    return fail(ErrorCode::rejected_input, "tier '" + name + "': " + format_bytes(bytes) + " are more than the " +
                                               format_bytes(room) + " that " + info().name +
                                               " has free; reduce it, or stop other programs on the device");
  return DeviceStore::open(name, memory_, pool_, meter_);
}

}  // namespace kvantage::gpu
