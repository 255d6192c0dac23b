#include "app/cli/sweep/slurm_job.h"

#include <algorithm>

#include "app/cli/sweep/called_program.h"
#include "app/cli/sweep/shell_words.h"
#include "core/base/files.h"
#include "core/base/folders.h"
#include "core/base/json.h"
#include "core/report/window_command.h"

namespace kvantage::cli {

namespace fs = std::filesystem;

namespace {

constexpr double sbatch_seconds = 120, squeue_seconds = 30;

Expected<std::vector<std::string>> sbatch_words(const SlurmArguments& arguments) {
  std::vector<std::string> all;
  for (const std::string& text : arguments.sbatch) {
    KV_ASSIGN(const auto words, shell_words(text, "--sbatch"));
    all.insert(all.end(), words.begin(), words.end());
  }
  return all;
}

}  // namespace

std::string slurm_script(const SlurmTask& task) {
  std::string words;
  for (const std::string& word : task.words) words += " " + report::shell_word(word);
  const std::string threads = task.threads > 0 ? std::to_string(task.threads) : "\"${SLURM_CPUS_PER_TASK:-0}\"";
  // The shell opens the log: in the path of its own log SLURM replaces what follows a %, and drops backslashes.
  return "#!/bin/sh\n"
         "# A task of a sweep: a worker that takes cells until all have results.\n"
         "exec >>" +
         report::shell_word((task.logs / "").string()) +
         "\"${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}_${SLURM_ARRAY_TASK_ID:-0}.log\" 2>&1\n"
         "cd " +
         report::shell_word(task.directory.string()) + "\nexec " + report::shell_word(task.program.string()) + words +
         " --threads " + threads + "\n";
}

Status check_slurm(const SlurmArguments& arguments, const std::function<bool()>& give_up) {
  KV_TRY(sbatch_words(arguments));
  const auto version = call_program({"sbatch", "--version"}, give_up, sbatch_seconds);
  if (version) return {};
  if (version.error().code != ErrorCode::not_found) return tl::unexpected(version.error());
  return fail(ErrorCode::usage,
              "--slurm: there is no sbatch in PATH; start it where jobs are submitted (on a login node), or use "
              "--workers without --slurm");
}

Expected<SlurmJob> submit_slurm_job(const fs::path& out, SlurmTask task, const SlurmArguments& arguments, int tasks,
                                    const std::function<bool()>& give_up) {
  const fs::path folder = absolute_or_given(out) / "slurm", script = folder / "task.sh";
  KV_TRY(make_writable_folder(folder));
  task.logs = folder;
  KV_TRY(write_text_file(script, slurm_script(task)));
  std::vector<std::string> words{"sbatch",
                                 "--parsable",
                                 "--job-name=kvantage-sweep",
                                 "--array=0-" + std::to_string(tasks - 1),
                                 "--chdir=/",
                                 "--output=/dev/null",
                                 "--requeue"};
  KV_ASSIGN(const auto more, sbatch_words(arguments));
  words.insert(words.end(), more.begin(), more.end());
  words.push_back(script.string());
  KV_ASSIGN(const auto answer, call_program(words, give_up, sbatch_seconds));
  KV_ASSIGN(auto job, job_of_sbatch(answer));
  const OrderedJson record{{"job", job.id}, {"cluster", job.cluster}, {"tasks", tasks}, {"sbatch", words}};
  KV_TRY(write_text_file(folder / "job.json", dump_json(record, 1) + "\n"));
  return job;
}

Expected<std::optional<SlurmJob>> last_slurm_job(const fs::path& out) {
  const fs::path file = out / "slurm" / "job.json";
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return std::optional<SlurmJob>();
  KV_ASSIGN(const auto json, read_json_file(file));
  SlurmJob job;
  KV_ASSIGN(job.id, json_field<std::string>(json, "job", file.string()));
  KV_ASSIGN(job.cluster, json_field_or<std::string>(json, "cluster", file.string(), ""));
  if (!is_slurm_job_id(job.id))
    return fail(ErrorCode::rejected_input, file.string() + ": 'job' is no number; remove the file");
  if (!job.cluster.empty() && !is_slurm_cluster(job.cluster))
    return fail(ErrorCode::rejected_input, file.string() + ": 'cluster' is no name of one; remove the file");
  return std::optional(std::move(job));
}

SlurmState slurm_state(const SlurmJob& job, const std::function<bool()>& give_up) {
  std::vector<std::string> words{"squeue", "--noheader", "--jobs=" + job.id, "--format=%T"};
  if (!job.cluster.empty()) words.push_back("--clusters=" + job.cluster);
  const auto answer = call_program(words, give_up, squeue_seconds);
  return answer ? state_of_squeue(*answer) : SlurmState::unknown;
}

std::string last_slurm_line(const fs::path& out, const SlurmJob& job) {
  constexpr std::uint64_t max_log_bytes = std::uint64_t{16} << 20;
  std::error_code ignored;
  std::vector<fs::path> logs = entries_of(out / "slurm", ignored);
  std::erase_if(logs, [&](const fs::path& log) {
    return log.extension() != ".log" || !log.filename().string().starts_with(job.id + "_");
  });
  std::ranges::sort(logs);
  for (const fs::path& log : logs)
    if (const auto text = read_text_file(log, max_log_bytes))
      if (const std::string line = last_shown_line(*text); !line.empty()) return log.string() + ": " + line;
  return {};
}

}  // namespace kvantage::cli
