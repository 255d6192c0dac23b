// What SLURM's programs print, as a job and its state. It comes from another program, and a job's record from a folder
// that others may write to.
#pragma once

#include <string>
#include <string_view>

#include "app/cli/sweep/called_program.h"

namespace kvantage::cli {

struct SlurmJob {
  std::string id, cluster;  // the cluster is empty where there is one
};
/// unknown: squeue is not there, or does not answer.
enum class SlurmState { active, over, unknown };

/// 1 to 20 digits.
bool is_slurm_job_id(std::string_view text);
/// 1 to 64 letters, digits, and - _ .
bool is_slurm_cluster(std::string_view text);

/// The last line that is not empty, as it may be shown.
std::string last_shown_line(std::string text);
/// Of `sbatch --parsable`: ID or ID;CLUSTER in its last line. rejected_input, with sbatch's own line, for another one,
/// and where it refused the job.
Expected<SlurmJob> job_of_sbatch(const ProgramAnswer& answer);
/// Of `squeue --noheader --format=%T`; with --clusters there is a line with the cluster's name.
SlurmState state_of_squeue(const ProgramAnswer& answer);

}  // namespace kvantage::cli
