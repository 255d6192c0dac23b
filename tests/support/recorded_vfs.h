// SQLite over files in memory: the default of SQLite while this object lives, so that the product's own code opens its
// databases there. It does what SQLite does on Linux: locks between connections, shared memory of a write-ahead log, a
// flush of the folder after the first flush of a log or journal. Temporary files are the system's.
#pragma once

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "tests/support/recorded_disk.h"

namespace kvantage::test {

namespace recorded_files {

struct Handle;

/// What the connections to one file share.
struct Shared {
  std::vector<Handle*> handles;
  std::vector<std::vector<std::uint64_t>> memory;  // regions
};

struct State {
  sqlite3_vfs* system = nullptr;
  sqlite3_io_methods methods{};
  std::mutex mutex;
  std::map<std::string, Shared> shared;  // by name
  RecordedDisk* disk = nullptr;
  Random random{1};
  int pages_in_log = 1000;
};

struct Handle {
  State* state = nullptr;
  RecordedDisk* disk = nullptr;
  std::string name;
  std::size_t file = 0;
  bool flushes_names = false, maps = false;
  int lock = SQLITE_LOCK_NONE;
  unsigned shared_slots = 0, exclusive_slots = 0;
  sqlite3** connection = nullptr;
};
struct OpenFile : sqlite3_file {
  Handle* handle = nullptr;
};

inline Handle& of(sqlite3_file* file) { return *static_cast<OpenFile*>(file)->handle; }
inline State& of(sqlite3_vfs* vfs) { return *static_cast<State*>(vfs->pAppData); }

inline int open_path(sqlite3_vfs* vfs, const char* name, sqlite3_file* memory, int flags, int* out_flags) {
  State& state = of(vfs);
  constexpr int ours = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL;
  if (name == nullptr || (flags & ours) == 0) return state.system->xOpen(state.system, name, memory, flags, out_flags);
  memory->pMethods = nullptr;
  const std::lock_guard lock(state.mutex);
  auto file = state.disk->find(name);
  if (!file && (flags & SQLITE_OPEN_CREATE) == 0) return SQLITE_CANTOPEN;
  auto handle = std::make_unique<Handle>(Handle{.state = &state, .disk = state.disk, .name = name});
  handle->file = file ? *file : state.disk->create(name);
  handle->flushes_names = (flags & SQLITE_OPEN_CREATE) != 0 && (flags & SQLITE_OPEN_MAIN_DB) == 0;
  state.shared[handle->name].handles.push_back(handle.get());
  auto* open = new (memory) OpenFile;
  open->pMethods = &state.methods;
  open->handle = handle.release();
  if (out_flags != nullptr) *out_flags = flags;
  return SQLITE_OK;
}
inline int close_file(sqlite3_file* file) {
  const std::unique_ptr<Handle> handle(&of(file));
  const std::lock_guard lock(handle->state->mutex);
  std::erase(handle->state->shared[handle->name].handles, handle.get());
  file->pMethods = nullptr;
  return SQLITE_OK;
}
inline int delete_path(sqlite3_vfs* vfs, const char* name, int flushed) {
  RecordedDisk& disk = *of(vfs).disk;
  if (!disk.remove(name)) return SQLITE_IOERR_DELETE_NOENT;
  if (flushed != 0) disk.flush_names();
  return SQLITE_OK;
}
inline int has_path(sqlite3_vfs* vfs, const char* name, int, int* found) {
  *found = of(vfs).disk->find(name) ? 1 : 0;
  return SQLITE_OK;
}
inline int full_path(sqlite3_vfs*, const char* name, int room, char* target) {
  sqlite3_snprintf(room, target, "%s", name);
  return SQLITE_OK;
}
inline int random_bytes(sqlite3_vfs* vfs, int bytes, char* target) {
  Random& random = of(vfs).random;
  for (int i = 0; i < bytes; ++i) target[i] = static_cast<char>(random.below(256));
  return bytes;
}

inline int read_file(sqlite3_file* file, void* target, int bytes, sqlite3_int64 offset) {
  const Handle& handle = of(file);
  auto* const begin = static_cast<char*>(target);
  const auto wanted = static_cast<std::size_t>(bytes);
  const std::size_t there = handle.disk->read(handle.file, static_cast<std::uint64_t>(offset), begin, wanted);
  std::memset(begin + there, 0, wanted - there);  // as SQLite requires
  return there == wanted ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}
inline int write_file(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 offset) {
  const Handle& handle = of(file);
  handle.disk->write(handle.file, static_cast<std::uint64_t>(offset),
                     {static_cast<const char*>(bytes), static_cast<std::size_t>(count)});
  return SQLITE_OK;
}
inline int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  of(file).disk->resize(of(file).file, static_cast<std::uint64_t>(size));
  return SQLITE_OK;
}
inline int sync_file(sqlite3_file* file, int) {
  Handle& handle = of(file);
  handle.disk->flush(handle.file);
  if (std::exchange(handle.flushes_names, false)) handle.disk->flush_names();
  return SQLITE_OK;
}
inline int size_of_file(sqlite3_file* file, sqlite3_int64* size) {
  *size = static_cast<sqlite3_int64>(of(file).disk->size(of(file).file));
  return SQLITE_OK;
}

/// Whether a connection other than `handle` has at least this lock. Requires the mutex.
inline bool others_have(const Handle& handle, int lock) {
  return std::ranges::any_of(handle.state->shared[handle.name].handles,
                             [&](const Handle* other) { return other != &handle && other->lock >= lock; });
}
inline int lock_file(sqlite3_file* file, int wanted) {
  Handle& handle = of(file);
  const std::lock_guard lock(handle.state->mutex);
  if (handle.lock >= wanted) return SQLITE_OK;
  if (wanted == SQLITE_LOCK_SHARED && others_have(handle, SQLITE_LOCK_PENDING)) return SQLITE_BUSY;
  if (wanted >= SQLITE_LOCK_RESERVED && others_have(handle, SQLITE_LOCK_RESERVED)) return SQLITE_BUSY;
  if (wanted == SQLITE_LOCK_EXCLUSIVE && others_have(handle, SQLITE_LOCK_SHARED)) {
    handle.lock = SQLITE_LOCK_PENDING;  // no new reader
    return SQLITE_BUSY;
  }
  handle.lock = wanted;
  return SQLITE_OK;
}
inline int unlock_file(sqlite3_file* file, int kept) {
  const std::lock_guard lock(of(file).state->mutex);
  of(file).lock = std::min(of(file).lock, kept);
  return SQLITE_OK;
}
inline int check_lock(sqlite3_file* file, int* reserved) {
  const std::lock_guard lock(of(file).state->mutex);
  *reserved = of(file).lock >= SQLITE_LOCK_RESERVED || others_have(of(file), SQLITE_LOCK_RESERVED) ? 1 : 0;
  return SQLITE_OK;
}
inline int control_file(sqlite3_file* file, int code, void* value) {
  Handle& handle = of(file);
  if (code == SQLITE_FCNTL_PDB) handle.connection = static_cast<sqlite3**>(value);
  // Only here, as SQLite sets its own default after a connection is open.
  if (code == SQLITE_FCNTL_PRAGMA && handle.connection != nullptr &&
      std::strcmp(static_cast<char**>(value)[1], "journal_mode") == 0)
    sqlite3_wal_autocheckpoint(*handle.connection, handle.state->pages_in_log);
  return SQLITE_NOTFOUND;
}
inline int sector_bytes(sqlite3_file*) { return 4096; }
inline int characteristics(sqlite3_file*) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

inline int map_memory(sqlite3_file* file, int region, int bytes, int extends, void volatile** memory) {
  Handle& handle = of(file);
  const std::lock_guard lock(handle.state->mutex);
  auto& regions = handle.state->shared[handle.name].memory;
  const auto wanted = static_cast<std::size_t>(region);
  handle.maps = true;
  *memory = nullptr;
  if (wanted >= regions.size() && extends == 0) return SQLITE_OK;
  while (wanted >= regions.size()) regions.emplace_back(static_cast<std::size_t>(bytes) / sizeof(std::uint64_t));
  *memory = regions[wanted].data();
  return SQLITE_OK;
}
inline int lock_memory(sqlite3_file* file, int first, int count, int flags) {
  Handle& handle = of(file);
  const std::lock_guard lock(handle.state->mutex);
  const unsigned wanted = ((1U << count) - 1) << first;
  const bool exclusive = (flags & SQLITE_SHM_EXCLUSIVE) != 0;
  if ((flags & SQLITE_SHM_UNLOCK) != 0) {
    (exclusive ? handle.exclusive_slots : handle.shared_slots) &= ~wanted;
    return SQLITE_OK;
  }
  for (const Handle* other : handle.state->shared[handle.name].handles)
    if (other != &handle && ((other->exclusive_slots & wanted) != 0 || (exclusive && (other->shared_slots & wanted))))
      return SQLITE_BUSY;
  (exclusive ? handle.exclusive_slots : handle.shared_slots) |= wanted;
  return SQLITE_OK;
}
inline void order_memory(sqlite3_file* file) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const std::lock_guard lock(of(file).state->mutex);
}
inline int unmap_memory(sqlite3_file* file, int) {
  Handle& handle = of(file);
  const std::lock_guard lock(handle.state->mutex);
  handle.maps = false;
  handle.shared_slots = handle.exclusive_slots = 0;
  Shared& shared = handle.state->shared[handle.name];
  if (std::ranges::none_of(shared.handles, &Handle::maps)) shared.memory.clear();  // the next one reads the log
  return SQLITE_OK;
}

inline sqlite3_io_methods methods_of(bool shared_memory) {
  sqlite3_io_methods made{};
  made.iVersion = shared_memory ? 2 : 1;
  made.xClose = close_file;
  made.xRead = read_file;
  made.xWrite = write_file;
  made.xTruncate = truncate_file;
  made.xSync = sync_file;
  made.xFileSize = size_of_file;
  made.xLock = lock_file;
  made.xUnlock = unlock_file;
  made.xCheckReservedLock = check_lock;
  made.xFileControl = control_file;
  made.xSectorSize = sector_bytes;
  made.xDeviceCharacteristics = characteristics;
  made.xShmMap = map_memory;
  made.xShmLock = lock_memory;
  made.xShmBarrier = order_memory;
  made.xShmUnmap = unmap_memory;
  return made;
}

}  // namespace recorded_files

class RecordedVfs {
 public:
  /// `shared_memory` false: as on file systems without it, where SQLite keeps a rollback journal instead of a log.
  explicit RecordedVfs(bool shared_memory = true) : vfs_(*sqlite3_vfs_find(nullptr)) {
    state_.system = sqlite3_vfs_find(nullptr);
    state_.methods = recorded_files::methods_of(shared_memory);
    vfs_.szOsFile = std::max(static_cast<int>(sizeof(recorded_files::OpenFile)), vfs_.szOsFile);
    vfs_.pNext = nullptr;
    vfs_.zName = "recorded";
    vfs_.pAppData = &state_;
    vfs_.xOpen = recorded_files::open_path;
    vfs_.xDelete = recorded_files::delete_path;
    vfs_.xAccess = recorded_files::has_path;
    vfs_.xFullPathname = recorded_files::full_path;
    vfs_.xRandomness = recorded_files::random_bytes;
    sqlite3_vfs_register(&vfs_, 1);
  }
  ~RecordedVfs() { sqlite3_vfs_unregister(&vfs_); }
  RecordedVfs(const RecordedVfs&) = delete;
  RecordedVfs& operator=(const RecordedVfs&) = delete;

  /// Where files are opened from now on. Nothing is open, as after a power cut; the disk must outlive what is opened.
  /// The log of a database is merged after this many pages (SQLite's own default is 1,000).
  void use(RecordedDisk& disk, std::uint64_t seed, int pages_in_log) {
    const std::lock_guard lock(state_.mutex);
    state_.disk = &disk;
    state_.shared.clear();
    state_.random = Random(seed);
    state_.pages_in_log = pages_in_log;
    sqlite3_randomness(0, nullptr);  // it asks for a new seed
  }

 private:
  recorded_files::State state_;
  sqlite3_vfs vfs_;
};

}  // namespace kvantage::test
