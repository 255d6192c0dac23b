// FileDevice on io_uring: batches of reads and writes are submitted several requests at a time, reads on one ring,
// writes on another, so that a tier's reading and writing threads never wait for each other. PosixDevice does
// everything else: opening with O_DIRECT where the file system allows it, names, flushes.
//
// Files are not registered with the ring: a segment is open for one batch, and registration costs as many calls as it
// would save.
#pragma once

#include "tiers/posix_device.h"
#include "tiers/ring.h"

namespace kvantage::inline tiers {

/// Of a session. With 8 MiB in flight a disk reads up to a tenth more than with 4 MiB, but the first of 8 layers then
/// arrives after half of the load instead of a quarter: so the second half of the queue opens behind it.
inline constexpr Ring::Limits session_ring_limits{.later_bytes_in_flight = std::uint64_t{8} << 20};

struct UringOptions {
  Ring::Limits limits = session_ring_limits;
  bool bypass_page_cache = true;  // try O_DIRECT
  bool register_memory = true;    // if the memlock limit allows it
};

class UringDevice final : public PosixDevice {
 public:
  /// io if the system denies a ring; the message says why.
  static Expected<std::shared_ptr<UringDevice>> create(const UringOptions& options = {});

  Expected<std::unique_ptr<DeviceFile>> open(const std::filesystem::path& path, bool create) override;
  std::shared_ptr<void> register_memory(std::span<std::byte> memory, bool for_writes) override;
  /// "io_uring", and whether memory was registered.
  std::string note() const override;

  struct Rings {
    std::unique_ptr<Ring> reads, writes;
  };
  const Rings& rings() const { return *rings_; }

 private:
  UringDevice(const UringOptions& options, std::shared_ptr<Rings> rings)
      : PosixDevice(Options{options.bypass_page_cache, {}}), options_(options), rings_(std::move(rings)) {}

  UringOptions options_;
  std::shared_ptr<Rings> rings_;  // open files may outlive the device
  std::atomic<bool> registered_{false};
  std::atomic<bool> refused_{false};
};

/// The fastest available device: io_uring, or positioned reads and writes if the system denies a ring. note() of the
/// device says which and why.
std::shared_ptr<FileDevice> make_file_device(const UringOptions& options = {});

}  // namespace kvantage::inline tiers
