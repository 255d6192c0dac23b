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

Status write_text_file(const std::filesystem::path& path, std::string_view text) {
  const std::filesystem::path temporary = path.string() + ".part" + std::to_string(::getpid());
  {
    std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
    stream.write(text.data(), static_cast<std::streamsize>(text.size()));
    stream.flush();
    if (!stream) {
      const int reason = errno;
      std::error_code ignored;
      std::filesystem::remove(temporary, ignored);
      return fail(code_of_path_error(reason),
                  path.string() + ": cannot be written (" + std::strerror(reason) + "); choose a writable folder");
    }
  }
  std::error_code code;
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
