// A FileDevice with fault injection, for tests and for demonstrating what the store survives: bit flips, torn writes,
// short reads, errors, a full disk, failing or lying flushes, delays, and power cuts that lose unflushed data. Each
// kind of operation draws from its own seeded stream, so faults are reproducible as long as reads come from one thread
// and writes from one thread, as in the tiers. Files opened as cached (an index) draw separately. Batches of reads stay
// batches below; batches of writes become single writes where write faults or power cuts are possible. Without faults,
// calls pass through.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "core/base/clock.h"
#include "core/base/random.h"
#include "core/ports/fault_plan.h"
#include "core/ports/file_device.h"
#include "tiers/unflushed_log.h"

namespace kvantage::inline tiers {

/// Whether power may be cut: then everything that a cut could undo is recorded, and transfers go one at a time.
enum class PowerCuts : bool { never, possible };

class FaultyDevice final : public FileDevice {
 public:
  /// `clock`: used for delays; must outlive the device.
  FaultyDevice(const Clock& clock, std::shared_ptr<FileDevice> inner, std::uint64_t seed, FaultPlan plan = {},
               PowerCuts power_cuts = PowerCuts::possible);
  ~FaultyDevice() override;

  /// Replaces the faults; the random streams continue. Delays in flight end.
  void set_plan(const FaultPlan& plan);
  /// Replaces the faults and reseeds the streams; counts continue.
  void inject(const InjectedFaults& faults);
  /// From now on every operation fails, also on open files. Requires PowerCuts::possible.
  void cut_power();
  /// The device works again and has lost what a power cut may lose: any 4 KiB blocks written since the last flush of
  /// their file, the latest size changes since then, and the latest creations, renames and removals since the last
  /// flush of their directory.
  Status restore_power();
  /// Injected faults, by the names in FaultPlan. Thread-safe like the rest.
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
  struct Streams;
  struct State;
  Expected<std::unique_ptr<DeviceFile>> open_by(Opening opening, const std::filesystem::path& path, bool create);
  std::shared_ptr<State> state_;  // open files may outlive the device
};

}  // namespace kvantage::inline tiers
