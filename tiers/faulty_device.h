// A FileDevice that fails on purpose, for tests and for showing what the store survives: wrong bits, torn writes, short
// reads, errors, a full disk, failing or lying flushes, delays, and power cuts that lose what was not flushed. Each
// kind of operation draws from its own seeded stream, so the faults are the same from run to run as long as reads come
// from one thread and writes from one thread, as the tiers do it; files opened as cached (an index) draw apart. Batches
// of reads stay batches below; batches of writes become single writes where a write may be struck or power may be cut.
// Without faults calls go straight through.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "core/base/clock.h"
#include "core/base/random.h"
#include "core/ports/fault_plan.h"
#include "core/ports/file_device.h"
#include "tiers/unflushed_log.h"

namespace kvantage {

/// Whether power may be cut: then everything is remembered that a cut could undo, and transfers go one at a time.
enum class PowerCuts : bool { never, possible };

class FaultyDevice final : public FileDevice {
 public:
  /// `clock`: what delays wait by; it outlives the device.
  FaultyDevice(const Clock& clock, std::shared_ptr<FileDevice> inner, std::uint64_t seed, FaultPlan plan = {},
               PowerCuts power_cuts = PowerCuts::possible);
  ~FaultyDevice() override;

  /// Other faults from now on, drawn on from where the streams are. Delays under way end.
  void set_plan(const FaultPlan& plan);
  /// Other faults from now on, drawn anew from their seed; counts go on.
  void inject(const InjectedFaults& faults);
  /// From now on every operation fails, also on open files. Only where power cuts are possible.
  void cut_power();
  /// The device works again and has lost what a power cut may lose: any 4 KiB blocks written since the last flush of
  /// their file, the latest of the changes of its size since then, and the latest of the creations, renames and
  /// removals since the last flush of their directory.
  Status restore_power();
  /// How often each fault struck, by the names of FaultPlan. Thread-safe like the rest.
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

}  // namespace kvantage
