#include "tiers/remote/secret_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/unique_fd.h"

namespace kvantage::inline remote {
namespace {

constexpr std::size_t max_file_bytes = std::size_t{64} << 10;

tl::unexpected<Error> refused(const std::filesystem::path& path, const std::string& reason, const std::string& mend) {
  return fail(ErrorCode::rejected_input, path.string() + ": " + reason + "; " + mend);
}

}  // namespace

// Checks the open file, not its name, to avoid a race.
Expected<std::optional<std::string>> read_secret_file(const std::filesystem::path& path, const std::string& secret) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) {
    if (errno == ENOENT || errno == ENOTDIR) return std::optional<std::string>();
    return refused(path, std::strerror(errno), "make it readable for your user only: chmod 600");
  }
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode))
    return refused(path, "is not a file", "put one there");
  if ((facts.st_mode & 077) != 0)
    return refused(path, "others may read or write " + secret, "restrict it to your user: chmod 600");
  if (facts.st_uid != ::geteuid()) return refused(path, "belongs to another user", "make a file of your own");
  std::string text(max_file_bytes + 1, '\0');
  std::size_t filled = 0;
  while (filled < text.size()) {
    const ssize_t got = ::read(file.get(), text.data() + filled, text.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refused(path, std::strerror(errno), "make it readable");
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  if (filled > max_file_bytes) return refused(path, "is larger than 64 KiB", "shorten it");
  text.resize(filled);
  return std::optional(std::move(text));
}

}  // namespace kvantage::inline remote
