#include "app/cli/sweep/slurm_answers.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "core/base/shown_text.h"

namespace kvantage::cli {
namespace {

constexpr std::string_view digits = "0123456789";

}  // namespace

bool is_slurm_job_id(std::string_view text) {
  constexpr std::size_t longest = 20;
  return !text.empty() && text.size() <= longest && text.find_first_not_of(digits) == std::string_view::npos;
}

bool is_slurm_cluster(std::string_view text) {
  constexpr std::size_t longest = 64;
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  };
  return !text.empty() && text.size() <= longest && std::ranges::all_of(text, is_allowed);
}

std::string last_shown_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  const std::size_t at = text.rfind('\n');
  return shown_line(at == std::string::npos ? text : text.substr(at + 1));
}

Expected<SlurmJob> job_of_sbatch(const ProgramAnswer& answer) {
  if (answer.exit_code != 0)
    return fail(ErrorCode::rejected_input,
                "sbatch refused the job: " + last_shown_line(answer.error.empty() ? answer.out : answer.error) +
                    "; correct --sbatch or --slurm-tasks");
  const std::string line = last_shown_line(answer.out);
  const std::size_t end = std::min(line.find(';'), line.size());
  SlurmJob job{line.substr(0, end), end < line.size() ? line.substr(end + 1) : std::string()};
  if (!is_slurm_job_id(job.id) || (!job.cluster.empty() && !is_slurm_cluster(job.cluster)))
    return fail(ErrorCode::rejected_input,
                "sbatch named no job ('" + line + "'); check that it is SLURM's and that --sbatch has options only");
  return job;
}

SlurmState state_of_squeue(const ProgramAnswer& answer) {
  // SLURM forgets a job some minutes after its end.
  if (answer.exit_code != 0)
    return answer.error.find("Invalid job id") == std::string::npos ? SlurmState::unknown : SlurmState::over;
  constexpr std::array active{"PENDING",      "RUNNING",      "SUSPENDED",  "COMPLETING", "CONFIGURING",
                              "REQUEUED",     "RESIZING",     "SIGNALING",  "STAGE_OUT",  "STOPPED",
                              "SPECIAL_EXIT", "REQUEUE_HOLD", "REQUEUE_FED"};
  std::istringstream lines(answer.out);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("CLUSTER:")) continue;
    if (std::ranges::any_of(active, [&](const char* state) { return line.find(state) != std::string::npos; }))
      return SlurmState::active;
  }
  return SlurmState::over;
}

}  // namespace kvantage::cli
