#include "app/wiring/kept_question.h"

#include <system_error>

#include "app/wiring/method_files.h"

namespace kvantage::inline wiring {
namespace {

constexpr const char* session_name = "session.json";
constexpr int most_numbers = 1000;

Status write_all(const Workload& workload, const std::filesystem::path& session, const std::filesystem::path& folder) {
  KV_TRY(write_workload(workload, folder));
  std::error_code error;
  if (std::filesystem::is_regular_file(session, error))
    std::filesystem::copy_file(session, folder / session_name, error);
  if (error)
    return fail(ErrorCode::rejected_input, (folder / session_name).string() +
                                               ": cannot be written: " + error.message() + "; choose another folder");
  return copy_method_files(session, folder);
}

}  // namespace

Expected<std::filesystem::path> write_kept_question(const Workload& workload, const KeptQuestion& asked,
                                                    const std::filesystem::path& opened,
                                                    const std::filesystem::path& below) {
  KV_ASSIGN(const auto with, with_question(workload, asked));
  std::error_code error;
  std::filesystem::path folder = below / with.name;
  for (int number = 2; std::filesystem::exists(folder, error) && number < most_numbers; ++number)
    folder = below / (with.name + "-" + std::to_string(number));
  if (std::filesystem::exists(folder, error))
    return fail(ErrorCode::rejected_input, folder.string() + " is there already; choose another folder");
  if (const Status written = write_all(with, opened / session_name, folder); !written) {
    std::filesystem::remove_all(folder, error);
    return tl::unexpected(written.error());
  }
  return folder;
}

}  // namespace kvantage::inline wiring
