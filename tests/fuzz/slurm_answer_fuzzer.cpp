// links: core_base
// with: app/cli/sweep/shell_words.cpp app/cli/sweep/slurm_answers.cpp
// What sbatch and squeue print, or something else in their place: a byte for the exit code, then the output, a record
// separator (0x1E) and the errors. A job is a number, and its cluster a name.
#include "app/cli/sweep/shell_words.h"
#include "app/cli/sweep/slurm_answers.h"
#include "tests/fuzz/fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvantage;
  if (size < 1) return 0;
  const auto texts = test::sections_of(test::text_of(data + 1, size - 1));
  const cli::ProgramAnswer answer{data[0] % 2, texts[0], texts.size() > 1 ? texts[1] : ""};
  (void)cli::state_of_squeue(answer);
  if (const auto job = cli::job_of_sbatch(answer); !job)
    test::check_file_refusal(job.error());
  else
    test::must_hold(cli::is_slurm_job_id(job->id) && (job->cluster.empty() || cli::is_slurm_cluster(job->cluster)),
                    "a job is a number, and its cluster a name");
  if (const auto words = cli::shell_words(texts[0], "--sbatch"); !words) test::check_refusal(words.error());
  return 0;
}
