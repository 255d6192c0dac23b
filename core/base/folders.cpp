#include "core/base/folders.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace kvantage {

ErrorCode code_of_path_error(int code) {
  switch (code) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return ErrorCode::no_space;
    case EACCES:
    case EPERM:
    case EROFS:
    case ENOENT:
    case ENOTDIR:
    case EISDIR:
    case EEXIST:
    case ELOOP:
    case ENAMETOOLONG:
    case EINVAL:
      return ErrorCode::rejected_input;
    default:
      return ErrorCode::io;
  }
}

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder, std::error_code& code) {
  std::vector<std::filesystem::path> entries;
  code.clear();
  std::filesystem::directory_iterator at(folder, code);
  for (; !code && at != std::filesystem::directory_iterator(); at.increment(code)) entries.push_back(at->path());
  return entries;
}

std::filesystem::path absolute_or_given(const std::filesystem::path& path) {
  std::error_code code;
  std::filesystem::path whole = std::filesystem::absolute(path, code);
  return code ? path : whole;
}

Status make_writable_folder(const std::filesystem::path& folder) {
  const auto refused = [&folder](int code, const char* what) {
    return fail(code_of_path_error(code),
                folder.string() + ": " + what + " (" + std::strerror(code) + "); choose a writable folder");
  };
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) return refused(code.value(), "folder cannot be created");
  const std::filesystem::path probe = folder / (".probe" + std::to_string(::getpid()));
  const int descriptor = ::open(probe.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return refused(errno, "cannot be written to");
  ::close(descriptor);
  ::unlink(probe.c_str());
  return {};
}

}  // namespace kvantage
