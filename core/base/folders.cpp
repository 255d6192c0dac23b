#include "core/base/folders.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/base/files.h"
#include "core/base/unique_fd.h"

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
    case EBUSY:  // where something is mounted
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

bool is_there(const std::filesystem::path& path) {
  using std::filesystem::file_type;
  std::error_code ignored;
  const file_type type = std::filesystem::symlink_status(path, ignored).type();
  return type != file_type::not_found && type != file_type::none;
}

bool leads_outside(const std::filesystem::path& folder, const std::filesystem::path& file) {
  std::error_code code;
  if (!std::filesystem::is_symlink(file, code) || !std::filesystem::is_regular_file(file, code)) return false;
  const std::filesystem::path root = std::filesystem::weakly_canonical(folder, code);
  if (code) return true;
  const std::filesystem::path target = std::filesystem::weakly_canonical(file, code);
  if (code) return true;
  const std::filesystem::path relative = target.lexically_relative(root);
  return relative.empty() || *relative.begin() == "..";
}

std::filesystem::path absolute_or_given(const std::filesystem::path& path) {
  std::error_code code;
  std::filesystem::path whole = std::filesystem::absolute(path, code);
  return code ? path : whole;
}

std::error_code make_private_folders(const std::filesystem::path& folder) {
  std::error_code code;
  if (std::filesystem::is_directory(folder, code)) return {};
  const std::filesystem::path parent = folder.parent_path();
  if (!parent.empty() && parent != folder)
    if (const std::error_code failed = make_private_folders(parent)) return failed;
  if (folder.filename().empty() || folder.filename() == "." || folder.filename() == "..") return {};
  if (::mkdir(folder.c_str(), S_IRWXU) != 0) {
    const int reason = errno;
    if (reason == EEXIST && std::filesystem::is_directory(folder, code)) return {};  // another process was faster
    return {reason == EEXIST ? ENOTDIR : reason, std::generic_category()};
  }
  (void)::chmod(folder.c_str(), S_IRWXU);  // a umask can take the owner's bits, too
  return {};
}

bool is_private_folder(const std::filesystem::path& folder) {
  struct stat facts {};
  return ::lstat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == ::geteuid() &&
         (facts.st_mode & 07777) == S_IRWXU;
}

Status make_writable_folder(const std::filesystem::path& folder) {
  const auto refused = [&folder](int code, const char* what) {
    return fail(code_of_path_error(code),
                folder.string() + ": " + what + " (" + std::strerror(code) + "); choose a writable folder");
  };
  KV_TRY(check_cache_path(folder));
  if (const std::error_code failed = make_private_folders(folder))
    return refused(failed.value(), "folder cannot be created");
  std::filesystem::path probe;
  const auto descriptor = create_unique_file(folder / ".probe", probe);
  if (!descriptor) return refused(errno, "cannot be written to");
  ::unlink(probe.c_str());
  return {};
}

Expected<std::filesystem::path> make_temporary_folder(const std::string& name) {
  std::error_code code;
  const std::filesystem::path base = std::filesystem::temp_directory_path(code);
  std::string path = (base / (name + "-XXXXXX")).string();
  if (code || ::mkdtemp(path.data()) == nullptr)
    return fail(ErrorCode::io, path + ": cannot be created (" + (code ? code.message() : std::strerror(errno)) +
                                   "); free space there, or set TMPDIR to another folder");
  return std::filesystem::path(path);
}

}  // namespace kvantage
