// A FileDevice that fails on purpose, for tests and for showing what the store survives: wrong bits, torn writes, short
// reads, errors, a full disk, failing or lying flushes, and power cuts that lose what was not flushed. Each kind of
// operation draws from its own seeded stream, so the faults are the same from run to run as long as reads come from one
// thread and writes from one thread, as the tiers do it. Batches of reads stay batches below; batches of writes become
// single writes, whose order a power cut needs to know.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "core/base/random.h"
#include "core/ports/file_device.h"
#include "tiers/unflushed_log.h"

namespace kvantage {

/// Probabilities per call, 0 to 1.
struct FaultPlan {
  double flip_on_read = 0;   // one bit of what is read is wrong; the file is not
  double flip_on_write = 0;  // one bit of what is written is wrong
  double torn_write = 0;     // only the first so many 4 KiB blocks arrive; the call says all did
  double short_read = 0;     // the read ends early, as at the end of a file
  double read_error = 0;     // EIO
  double write_error = 0;
  double sync_error = 0;          // file and directory flushes
  double lost_sync = 0;           // a flush of a file that says done and did nothing
  std::uint64_t space_bytes = 0;  // sum of file sizes that fits; 0 = no limit
};

class FaultyDevice final : public FileDevice {
 public:
  FaultyDevice(std::shared_ptr<FileDevice> inner, std::uint64_t seed, FaultPlan plan = {});
  ~FaultyDevice() override;

  void set_plan(const FaultPlan& plan);
  /// From now on every operation fails, also on open files.
  void cut_power();
  /// The device works again and has lost what a power cut may lose: any 4 KiB blocks written since the last flush of
  /// their file, and the latest of the creations, renames and removals since the last flush of their directory.
  Status restore_power();
  /// How often each fault struck, by the names of FaultPlan.
  std::map<std::string, std::uint64_t> counts() const;

  Expected<std::unique_ptr<DeviceFile>> open(const std::filesystem::path& path, bool create) override;
  Expected<std::unique_ptr<DeviceFile>> open_cached(const std::filesystem::path& path, bool create) override;
  Status remove(const std::filesystem::path& path) override;
  Status rename(const std::filesystem::path& from, const std::filesystem::path& to) override;
  Status make_directory(const std::filesystem::path& path) override;
  Expected<std::vector<std::filesystem::path>> list(const std::filesystem::path& directory) override;
  Status sync_directory(const std::filesystem::path& path) override;
  std::shared_ptr<void> register_memory(std::span<std::byte> memory, bool for_writes) override;
  std::string note() const override;

 private:
  using Opening = Expected<std::unique_ptr<DeviceFile>> (FileDevice::*)(const std::filesystem::path&, bool);
  class File;
  struct State;
  Expected<std::unique_ptr<DeviceFile>> open_by(Opening opening, const std::filesystem::path& path, bool create);
  std::shared_ptr<State> state_;  // open files may outlive the device
};

}  // namespace kvantage
