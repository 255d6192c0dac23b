// SQLite on a FileDevice: the index uses the same disk interface as the entries, so that injected faults and power cuts
// affect both alike. For one connection in exclusive locking mode: no locks and no shared memory, as the folder's own
// lock excludes others.
#pragma once

#include <memory>
#include <string>

#include "core/ports/file_device.h"

struct sqlite3_vfs;

namespace kvantage::inline tiers {

class DeviceVfs {
 public:
  /// Registered with SQLite under a unique name during its lifetime; close connections first.
  explicit DeviceVfs(std::shared_ptr<FileDevice> device);
  ~DeviceVfs();
  DeviceVfs(const DeviceVfs&) = delete;
  DeviceVfs& operator=(const DeviceVfs&) = delete;

  const char* name() const { return name_.c_str(); }
  /// The last device error, which SQLite reduces to a few words; returned once.
  std::string take_refusal();

  struct State {
    std::shared_ptr<FileDevice> device;
    std::string refusal;
  };

 private:
  std::unique_ptr<State> state_;
  std::string name_;
  std::unique_ptr<sqlite3_vfs> vfs_;
};

}  // namespace kvantage::inline tiers
