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
  memory_->note_host_access(host, HostAccess::writes);
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
  const std::lock_guard lock(resident_mutex_);
  return DeviceStore::open(name, memory_, pool_, meter_, resident_);
}

void DeviceAccelerator::use_blocks(const DeviceBlocks& blocks) {
  if (blocks.memory.empty() || blocks.memory != memory_->info().memory || !can_check_blocks_of(blocks.form.block_bytes))
    return;
  const std::lock_guard lock(resident_mutex_);
  if (resident_ && resident_->blocks == blocks) return;  // gauges() has what open stores hold in its pool
  resident_ = ResidentPool{
      blocks, std::make_shared<DevicePool>(memory_, DevicePool::default_segment_bytes, blocks.form.block_bytes)};
}

PoolCounts DeviceAccelerator::counts() const {
  const std::lock_guard lock(resident_mutex_);
  return resident_ ? pool_->counts() + resident_->pool->counts() : pool_->counts();
}

}  // namespace kvantage::gpu
