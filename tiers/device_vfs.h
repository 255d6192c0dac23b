// SQLite on a FileDevice: the index takes the same door to the disk as the entries, so that what a device does wrong,
// or loses when power goes, is done to both alike. For one connection in exclusive locking mode: no locks are taken and
// no memory is shared, the folder's own lock keeps others away.
#pragma once

#include <memory>
#include <string>

#include "core/ports/file_device.h"

struct sqlite3_vfs;

namespace kvantage {

class DeviceVfs {
 public:
  /// Registered with SQLite under a name of its own as long as it lives; connections must be closed before.
  explicit DeviceVfs(std::shared_ptr<FileDevice> device);
  ~DeviceVfs();
  DeviceVfs(const DeviceVfs&) = delete;
  DeviceVfs& operator=(const DeviceVfs&) = delete;

  const char* name() const { return name_.c_str(); }
  /// What the device said when it last refused something, which SQLite turns into a few words of its own; once.
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

}  // namespace kvantage
