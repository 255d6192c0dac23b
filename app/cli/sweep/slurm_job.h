// Workers of a sweep as the tasks of a SLURM job array, over a shared folder (folder_queue.h) or a Redis server. The
// script, its logs and the job's id are in OUT/slurm. SLURM only starts them: which task serves which cell, and again
// when a node is lost, is decided by the queue.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/sweep/slurm_answers.h"
#include "core/base/error.h"

namespace kvantage::cli {

/// Options of `sweep --slurm`.
struct SlurmArguments {
  bool submit = false;
  std::string wait = "yes";
  std::vector<std::string> sbatch;  // texts of words for sbatch
  int tasks = 0;                    // of the array; 0: default_slurm_tasks, at most one per cell
};
inline constexpr int default_slurm_tasks = 8, max_slurm_tasks = 100'000;

/// What a task runs.
struct SlurmTask {
  std::filesystem::path program, directory;  // kvantage-cli, and where it starts
  std::filesystem::path logs = {};           // the folder of their logs, JOB_TASK.log
  std::vector<std::string> words;
  int threads = 0;  // 0: as many as SLURM gives the task, else one per core
};
/// A POSIX shell script; no name in it is expanded, whatever it contains.
std::string slurm_script(const SlurmTask& task);

/// usage where there is no sbatch, or its options have an open quote. Nothing is submitted.
Status check_slurm(const SlurmArguments& arguments, const std::function<bool()>& give_up);

/// Writes the script, whose logs are beside it, and submits `tasks` tasks. rejected_input with sbatch's own line where
/// it refuses.
Expected<SlurmJob> submit_slurm_job(const std::filesystem::path& out, SlurmTask task, const SlurmArguments& arguments,
                                    int tasks, const std::function<bool()>& give_up);

/// The job that was submitted last for this folder; nothing where there is none.
Expected<std::optional<SlurmJob>> last_slurm_job(const std::filesystem::path& out);

SlurmState slurm_state(const SlurmJob& job, const std::function<bool()>& give_up);

/// The last line that a task of the job wrote, behind the name of its log; empty: none.
std::string last_slurm_line(const std::filesystem::path& out, const SlurmJob& job);

}  // namespace kvantage::cli
