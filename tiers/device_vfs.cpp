#include "tiers/device_vfs.h"

#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <utility>

namespace kvantage::inline tiers {
namespace {

// The log is overwritten from its start repeatedly. Its space is reserved up front, so that entries can be erased,
// which frees space, on a full disk.
constexpr std::uint64_t reserved_log_bytes = 1 << 20;

DeviceVfs::State& state_of(sqlite3_vfs* vfs) { return *static_cast<DeviceVfs::State*>(vfs->pAppData); }

struct OpenFile : sqlite3_file {
  std::unique_ptr<DeviceFile> file;
  DeviceVfs::State* state = nullptr;
  std::filesystem::path path;
  bool name_unsynced = false;
};

OpenFile& file_of(sqlite3_file* file) { return *static_cast<OpenFile*>(file); }

/// Maps a device error to SQLite's code and keeps the error: no_space has its own, everything else `code`.
int refused(DeviceVfs::State& state, const Error& error, int code) {
  state.refusal = error.message;
  return error.code == ErrorCode::no_space ? SQLITE_FULL : code;
}

int code_of(DeviceVfs::State& state, const Status& status, int code) {
  return status ? SQLITE_OK : refused(state, status.error(), code);
}

int close_file(sqlite3_file* file) {
  file_of(file).~OpenFile();
  file->pMethods = nullptr;
  return SQLITE_OK;
}

int read_file(sqlite3_file* file, void* target, int bytes, sqlite3_int64 offset) {
  OpenFile& open = file_of(file);
  const auto size = open.file->size();
  if (!size) return refused(*open.state, size.error(), SQLITE_IOERR_FSTAT);
  const auto begin = static_cast<std::uint64_t>(offset), wanted = static_cast<std::uint64_t>(bytes);
  const std::uint64_t there = begin < *size ? std::min(wanted, *size - begin) : 0;
  const std::span<std::byte> all(static_cast<std::byte*>(target), wanted);
  if (there > 0)
    if (const Status got = open.file->read(begin, all.first(there)); !got)
      return refused(*open.state, got.error(), SQLITE_IOERR_READ);
  if (there == wanted) return SQLITE_OK;
  std::memset(all.data() + there, 0, wanted - there);  // as SQLite requires
  return SQLITE_IOERR_SHORT_READ;
}

int write_file(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 offset) {
  const std::span<const std::byte> all(static_cast<const std::byte*>(bytes), static_cast<std::size_t>(count));
  OpenFile& open = file_of(file);
  return code_of(*open.state, open.file->write(static_cast<std::uint64_t>(offset), all), SQLITE_IOERR_WRITE);
}

int truncate_file(sqlite3_file* file, sqlite3_int64 bytes) {
  OpenFile& open = file_of(file);
  return code_of(*open.state, open.file->resize(static_cast<std::uint64_t>(bytes)), SQLITE_IOERR_TRUNCATE);
}

int sync_file(sqlite3_file* file, int) {
  OpenFile& open = file_of(file);
  if (const Status done = open.file->sync(); !done) return refused(*open.state, done.error(), SQLITE_IOERR_FSYNC);
  if (!open.name_unsynced) return SQLITE_OK;
  const Status named = open.state->device->sync_directory(open.path.parent_path());
  open.name_unsynced = !named;
  return code_of(*open.state, named, SQLITE_IOERR_DIR_FSYNC);
}

int size_of_file(sqlite3_file* file, sqlite3_int64* bytes) {
  OpenFile& open = file_of(file);
  const auto size = open.file->size();
  if (!size) return refused(*open.state, size.error(), SQLITE_IOERR_FSTAT);
  *bytes = static_cast<sqlite3_int64>(*size);
  return SQLITE_OK;
}

int lock_file(sqlite3_file*, int) { return SQLITE_OK; }
int check_lock(sqlite3_file*, int* reserved) {
  *reserved = 0;
  return SQLITE_OK;
}
int control_file(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
int sector_bytes(sqlite3_file*) { return 4096; }
int characteristics(sqlite3_file*) { return 0; }

const sqlite3_io_methods methods = [] {
  sqlite3_io_methods made{};
  made.iVersion = 1;  // no shared memory: in exclusive mode the log's index is on the heap
  made.xClose = close_file;
  made.xRead = read_file;
  made.xWrite = write_file;
  made.xTruncate = truncate_file;
  made.xSync = sync_file;
  made.xFileSize = size_of_file;
  made.xLock = lock_file;
  made.xUnlock = lock_file;
  made.xCheckReservedLock = check_lock;
  made.xFileControl = control_file;
  made.xSectorSize = sector_bytes;
  made.xDeviceCharacteristics = characteristics;
  return made;
}();

int open_path(sqlite3_vfs* vfs, const char* name, sqlite3_file* memory, int flags, int* out_flags) {
  memory->pMethods = nullptr;
  if (name == nullptr) return SQLITE_CANTOPEN;  // temporary tables stay in memory
  DeviceVfs::State& state = state_of(vfs);
  FileDevice& device = *state.device;
  auto opened = device.open_cached(name, false);
  bool created = false;
  if (!opened && opened.error().code == ErrorCode::not_found && (flags & SQLITE_OPEN_CREATE) != 0) {
    opened = device.open_cached(name, true);
    created = opened.has_value();
  }
  if (!opened) return refused(state, opened.error(), SQLITE_CANTOPEN);
  if (created && (flags & SQLITE_OPEN_WAL) != 0) (void)(*opened)->reserve(0, reserved_log_bytes);
  auto* file = new (memory) OpenFile;
  file->pMethods = &methods;
  file->file = std::move(*opened);
  file->state = &state;
  file->path = name;
  file->name_unsynced = created;
  if (out_flags != nullptr) *out_flags = flags;
  return SQLITE_OK;
}

int delete_path(sqlite3_vfs* vfs, const char* name, int sync) {
  DeviceVfs::State& state = state_of(vfs);
  const std::filesystem::path path = name;
  const Status removed = state.device->remove(path);
  if (!removed && removed.error().code == ErrorCode::not_found) return SQLITE_IOERR_DELETE_NOENT;
  if (!removed) return refused(state, removed.error(), SQLITE_IOERR_DELETE);
  return sync == 0 ? SQLITE_OK
                   : code_of(state, state.device->sync_directory(path.parent_path()), SQLITE_IOERR_DIR_FSYNC);
}

int has_path(sqlite3_vfs* vfs, const char* name, int, int* found) {
  DeviceVfs::State& state = state_of(vfs);
  const auto file = state.device->open_cached(name, false);
  *found = file.has_value();
  if (file || file.error().code == ErrorCode::not_found) return SQLITE_OK;
  return refused(state, file.error(), SQLITE_IOERR_ACCESS);
}

int full_path(sqlite3_vfs*, const char* name, int room, char* target) {
  sqlite3_snprintf(room, target, "%s", name);
  return SQLITE_OK;
}

}  // namespace

DeviceVfs::DeviceVfs(std::shared_ptr<FileDevice> device)
    : state_(std::make_unique<State>(State{std::move(device), {}})) {
  static std::atomic<unsigned> count{0};
  name_ = "kvantage-device-" + std::to_string(++count);
  // Time, random numbers and sleep are the system's.
  vfs_ = std::make_unique<sqlite3_vfs>(*sqlite3_vfs_find(nullptr));
  vfs_->iVersion = 1;
  vfs_->szOsFile = sizeof(OpenFile);
  vfs_->pNext = nullptr;
  vfs_->zName = name_.c_str();
  vfs_->pAppData = state_.get();
  vfs_->xOpen = open_path;
  vfs_->xDelete = delete_path;
  vfs_->xAccess = has_path;
  vfs_->xFullPathname = full_path;
  sqlite3_vfs_register(vfs_.get(), 0);
}

DeviceVfs::~DeviceVfs() { sqlite3_vfs_unregister(vfs_.get()); }

std::string DeviceVfs::take_refusal() { return std::exchange(state_->refusal, {}); }

}  // namespace kvantage::inline tiers
