#include "gpu/device/piece_copies.h"

#include <algorithm>
#include <chrono>

namespace kvantage::gpu {

Expected<PieceCopies> PieceCopies::in(DeviceMemory& memory, const DeviceRuns& runs, std::uint64_t offset,
                                      std::span<const std::byte> source) {
  PieceCopies copies(CopyDirection::to_device, memory.pinned(source));
  KV_TRY(over_runs(runs, offset, source.size(),
                   [&](DeviceAddress address, std::uint64_t from, std::uint64_t bytes) -> Status {
                     KV_ASSIGN(auto copy, memory.copy_in(address, source.subspan(from, bytes)));
                     copies.parts_.push_back({std::move(copy), bytes});
                     return {};
                   }));
  return copies;
}

Expected<PieceCopies> PieceCopies::out(DeviceMemory& memory, const DeviceRuns& runs, std::uint64_t offset,
                                       std::span<std::byte> target) {
  PieceCopies copies(CopyDirection::from_device, memory.pinned(target));
  KV_TRY(over_runs(runs, offset, target.size(),
                   [&](DeviceAddress address, std::uint64_t from, std::uint64_t bytes) -> Status {
                     KV_ASSIGN(auto copy, memory.copy_out(target.subspan(from, bytes), address));
                     copies.parts_.push_back({std::move(copy), bytes});
                     return {};
                   }));
  return copies;
}

bool PieceCopies::over() const {
  return std::ranges::all_of(parts_, [](const Part& part) { return part.copy->over(); });
}

Status PieceCopies::wait(CopyMeter* meter) {
  for (Part& part : parts_) {
    const auto start = std::chrono::steady_clock::now();
    const bool already = part.copy->over();
    KV_ASSIGN(const auto seconds, part.copy->wait());
    const double waited = already ? 0 : std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (meter != nullptr) meter->add(direction_, part.bytes, seconds, waited, pinned_);
  }
  parts_.clear();
  return {};
}

}  // namespace kvantage::gpu
