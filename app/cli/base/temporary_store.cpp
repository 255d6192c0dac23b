#include "app/cli/base/temporary_store.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string>

#include "core/base/folders.h"

namespace kvantage::cli {
namespace {

constexpr const char* prefix = "figure-";

bool is_left_over(const std::string& name) {
  if (!name.starts_with(prefix)) return false;
  const char* begin = name.data() + std::string(prefix).size();
  const char* end = name.data() + name.size();
  long process = 0;
  const auto [last, code] = std::from_chars(begin, end, process);
  return code == std::errc() && last == end && process > 0 && ::kill(static_cast<pid_t>(process), 0) != 0 &&
         errno == ESRCH;
}

}  // namespace

Status TemporaryStore::make(const std::filesystem::path& base) {
  KV_TRY(make_writable_folder(base));
  std::error_code ignored;
  for (const std::filesystem::path& folder : entries_of(base, ignored))
    if (is_left_over(folder.filename().string())) std::filesystem::remove_all(folder, ignored);
  const std::filesystem::path mine = base / (prefix + std::to_string(::getpid()));
  KV_TRY(make_writable_folder(mine));
  path_ = mine;
  return {};
}

TemporaryStore::~TemporaryStore() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace kvantage::cli
