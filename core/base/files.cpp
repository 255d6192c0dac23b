#include "core/base/files.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "core/base/folders.h"

namespace kvantage {

Expected<std::string> read_text_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return fail(ErrorCode::rejected_input, path.string() + ": is a folder, a file was expected; give a file");
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    return fail(ErrorCode::rejected_input,
                path.string() + ": cannot be read (" + std::strerror(errno) + "); check the path");
  std::ostringstream content;
  content << stream.rdbuf();
  return std::move(content).str();
}

namespace {

Status write_stream(const std::filesystem::path& file, std::string_view text, const std::filesystem::path& shown) {
  errno = 0;
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();  // flushes
  if (stream) return {};
  const int reason = errno != 0 ? errno : EIO;
  return fail(code_of_path_error(reason),
              shown.string() + ": cannot be written (" + std::strerror(reason) + "); choose a writable folder");
}

/// A device, a pipe or the link of a stream in /dev: renaming a file to it would replace it.
bool is_written_in_place(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (!std::filesystem::exists(status) || std::filesystem::is_directory(status)) return false;
  return !std::filesystem::is_regular_file(status) ||
         (path.string().starts_with("/dev/") && std::filesystem::is_symlink(path, ignored));
}

}  // namespace

Status write_text_file(const std::filesystem::path& path, std::string_view text) {
  if (is_written_in_place(path)) return write_stream(path, text, path);
  const std::filesystem::path temporary = path.string() + ".part" + std::to_string(::getpid());
  std::error_code code;
  if (Status written = write_stream(temporary, text, path); !written) {
    std::filesystem::remove(temporary, code);
    return written;
  }
  std::filesystem::rename(temporary, path, code);
  if (code) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    return fail(code_of_path_error(code.value()),
                path.string() + ": cannot be written (" + code.message() + "); choose another path");
  }
  return {};
}

std::filesystem::path cache_directory() {
  if (const char* own = std::getenv("KVANTAGE_CACHE"); own != nullptr && *own != '\0') return own;
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && *xdg != '\0')
    return std::filesystem::path(xdg) / "kvantage";
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home != nullptr ? home : "/tmp") / ".cache" / "kvantage";
}

}  // namespace kvantage
