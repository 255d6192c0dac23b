#include "core/base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>

#include "core/base/folders.h"

namespace kvantage {
namespace {

// No path below a device can be created, whoever runs the program.
constexpr std::string_view no_cache_directory = "/dev/null/kvantage";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

/// Of a path; empty where that is relative.
std::string rooted_variable(const char* name) {
  std::string value = variable(name);
  return value.starts_with('/') ? value : std::string();
}

tl::unexpected<Error> cannot_read(const std::filesystem::path& path, int reason) {
  if (std::error_code ignored; reason == ENOENT && std::filesystem::is_symlink(path, ignored))
    return fail(ErrorCode::rejected_input,
                path.string() + ": is a link to a file that is missing; restore the file or remove the link");
  return fail(ErrorCode::rejected_input,
              path.string() + ": cannot be read (" + std::strerror(reason) + "); check the path");
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::string size_text(std::uint64_t bytes) {
  return bytes >= std::uint64_t{1} << 30   ? std::to_string(bytes >> 30) + " GiB"
         : bytes >= std::uint64_t{1} << 20 ? std::to_string(bytes >> 20) + " MiB"
                                           : std::to_string(bytes) + " bytes";
}

}  // namespace

Expected<UniqueFd> open_regular_file(const std::filesystem::path& path) {
  const auto special = [&path](const char* what) {
    return fail(ErrorCode::rejected_input, path.string() + ": is " + what + ", a file was expected; give a file");
  };
  // Without O_NONBLOCK a pipe waits for its writer.
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file && errno == ENXIO) return special("a socket or device");
  if (!file) return cannot_read(path, errno);
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) return cannot_read(path, errno);
  if (S_ISDIR(facts.st_mode)) return special("a folder");
  if (!S_ISREG(facts.st_mode)) return special(S_ISFIFO(facts.st_mode) ? "a pipe" : "a device");
  return file;
}

tl::unexpected<Error> cannot_read_file(const std::filesystem::path& path, int reason) {
  if (reason != EAGAIN) return cannot_read(path, reason);
  return fail(ErrorCode::rejected_input,
              path.string() + ": is a file of the system that waits for more, a file was expected; give a file");
}

tl::unexpected<Error> file_too_large(const std::filesystem::path& path, std::uint64_t max_bytes) {
  return fail(ErrorCode::rejected_input, path.string() + ": is larger than " + size_text(max_bytes) +
                                             ", the limit of such a file; give a smaller one");
}

Expected<std::string> read_text_file(const std::filesystem::path& path, std::uint64_t max_bytes) {
  KV_ASSIGN(const auto file, open_regular_file(path));
  const auto too_large = [&] { return file_too_large(path, max_bytes); };
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) return cannot_read(path, errno);
  if (static_cast<std::uint64_t>(facts.st_size) > max_bytes) return too_large();
  // Files of the system say 0 bytes, and any file may grow.
  constexpr std::size_t step = std::size_t{64} << 10;
  std::string text(static_cast<std::size_t>(facts.st_size) + 1, '\0');  // one more to see the end
  for (std::size_t filled = 0;;) {
    if (filled == text.size()) text.resize(filled + step);
    const ssize_t got = ::read(file.get(), text.data() + filled, text.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot_read_file(path, errno);
    filled += static_cast<std::size_t>(got);
    if (filled > max_bytes) return too_large();
    if (got > 0) continue;
    text.resize(filled);
    return text;
  }
}

UniqueFd create_unique_file(const std::filesystem::path& beginning, std::filesystem::path& path) {
  constexpr int tries = 100;
  std::random_device random;
  for (int i = 0; i < tries; ++i) {
    path = beginning.string() + std::to_string(random());
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file < 0 && errno == EEXIST) continue;
    if (file >= 0) (void)::fchmod(file, S_IRUSR | S_IWUSR);  // a umask can take the owner's bits, too
    return UniqueFd(file);
  }
  errno = EEXIST;
  return UniqueFd();
}

namespace {

Status write_in_place(const std::filesystem::path& file, std::string_view text) {
  errno = 0;
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();  // flushes
  if (stream) return {};
  const int reason = errno != 0 ? errno : EIO;
  return fail(code_of_path_error(reason),
              file.string() + ": cannot be written (" + std::strerror(reason) + "); choose another path");
}

/// A device or the link of a stream in /dev: renaming a file to it would replace it.
bool is_written_in_place(const std::filesystem::path& path, std::filesystem::file_type type) {
  std::error_code ignored;
  return type == std::filesystem::file_type::character ||
         (path.string().starts_with("/dev/") && std::filesystem::is_symlink(path, ignored));
}

}  // namespace

Status write_text_file(const std::filesystem::path& path, std::string_view text) {
  const auto refused = [&path](int reason, const char* mend) {
    return fail(code_of_path_error(reason),
                path.string() + ": cannot be written (" + std::strerror(reason) + "); " + mend);
  };
  KV_TRY(check_cache_path(path));
  using std::filesystem::file_type;
  std::error_code ignored;
  const file_type type = std::filesystem::status(path, ignored).type();
  if (is_written_in_place(path, type)) return write_in_place(path, text);
  if (type == file_type::fifo || type == file_type::socket || type == file_type::block)  // one that nobody reads blocks
    return fail(ErrorCode::rejected_input, path.string() + ": is a pipe, socket or disk; choose another path");
  std::filesystem::path temporary;
  const auto give_up = [&temporary, &refused](int reason, const char* mend) {
    (void)::unlink(temporary.c_str());
    return refused(reason, mend);
  };
  {
    const UniqueFd file = create_unique_file(path.string() + ".part", temporary);
    if (!file) return refused(errno, "choose a writable folder");
    if (!write_all(file.get(), text)) return give_up(errno, "choose a writable folder");
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) return give_up(errno, "choose another path");
  return {};
}

std::string home_directory() { return rooted_variable("HOME"); }

std::filesystem::path cache_directory() {
  if (const std::string own = variable("KVANTAGE_CACHE"); !own.empty()) return own;
  if (const std::string xdg = rooted_variable("XDG_CACHE_HOME"); !xdg.empty())
    return std::filesystem::path(xdg) / "kvantage";
  if (const std::string home = home_directory(); !home.empty())
    return std::filesystem::path(home) / ".cache" / "kvantage";
  // A folder in /tmp could have been prepared by anybody.
  const std::filesystem::path runtime = rooted_variable("XDG_RUNTIME_DIR");
  return is_private_folder(runtime) ? runtime / "kvantage" : std::filesystem::path(no_cache_directory);
}

Status check_cache_path(const std::filesystem::path& path) {
  if (!path.string().starts_with(no_cache_directory)) return {};
  return fail(ErrorCode::rejected_input,
              "no folder for databases and stores: HOME, XDG_CACHE_HOME and XDG_RUNTIME_DIR name none of yours; set "
              "HOME, or give --store and --db");
}

}  // namespace kvantage
