#include "core/base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <string>

#include "core/base/last_line.h"
#include "core/base/shown_text.h"

namespace kvantage {

/// Never freed but used again, as a handler may look at it at any moment.
struct MappedRegion {
  std::atomic<const std::byte*> begin{nullptr};  // null: of no file now
  std::size_t size = 0;
  std::string line;  // what to say when it cannot be read
  MappedRegion* next = nullptr;
};

namespace {

std::atomic<MappedRegion*> first_region{nullptr};
struct sigaction handler_before {};
const std::string lost_page_line =
    "a mapped file became shorter or unreadable while it was used; do not change files of a run, and start again";

void on_lost_page(int signal, siginfo_t* info, void* context) {
  const auto* at = static_cast<const std::byte*>(info->si_addr);
  for (const MappedRegion* region = first_region; region != nullptr; region = region->next)
    if (const std::byte* begin = region->begin; begin != nullptr && at >= begin && at < begin + region->size)
      end_with_line(region->line);
  // Mapped by a library, such as the -shm file of a database.
  if (info->si_code == BUS_ADRERR) end_with_line(lost_page_line);
  if ((handler_before.sa_flags & SA_SIGINFO) != 0) return handler_before.sa_sigaction(signal, info, context);
  ::sigaction(SIGBUS, &handler_before, nullptr);  // the access, repeated, ends as it would have
}

void install_handler() {
  struct sigaction action {};
  action.sa_sigaction = on_lost_page;
  action.sa_flags = static_cast<int>(SA_SIGINFO);
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, &handler_before);
}

MappedRegion& region_of(const std::byte* data, std::size_t size, const std::filesystem::path& path) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  watch_lost_pages();
  MappedRegion* region = first_region;
  while (region != nullptr && region->begin != nullptr) region = region->next;
  const bool is_new = region == nullptr;
  if (is_new) region = new MappedRegion;
  region->size = size;
  region->line =
      message_line(path.string() + ": became shorter or unreadable while it was read; restore the file and start again",
                   max_message_characters - error_prefix.size());
  region->begin = data;
  if (is_new) {
    region->next = first_region;
    first_region = region;
  }
  return *region;
}

}  // namespace

void watch_lost_pages() {
  static const bool installed = (install_handler(), true);
  (void)installed;
}

Expected<std::shared_ptr<const MappedFile>> MappedFile::open(const std::filesystem::path& path) {
  const auto refused = [&] {
    return fail(ErrorCode::rejected_input,
                path.string() + ": " + std::strerror(errno) + "; check the path and its permissions");
  };
  // Without O_NONBLOCK a pipe waits for its writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return refused();
  struct stat status {};
  const bool known = ::fstat(descriptor, &status) == 0;
  if (!known || !S_ISREG(status.st_mode) || status.st_size <= 0) {
    ::close(descriptor);
    return fail(ErrorCode::rejected_input, path.string() + ": not a file with contents; fetch the file again");
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  const int problem = errno;
  ::close(descriptor);
  errno = problem;
  if (data == MAP_FAILED) return refused();
  return std::shared_ptr<const MappedFile>(new MappedFile(static_cast<const std::byte*>(data), size,
                                                          region_of(static_cast<const std::byte*>(data), size, path)));
}

MappedFile::~MappedFile() {
  region_.begin = nullptr;
  ::munmap(const_cast<std::byte*>(data_), size_);
}

}  // namespace kvantage
