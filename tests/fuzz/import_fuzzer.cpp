// links: core_workload_datasets
// Data sets that are imported as workloads, of every format and of the one that their content suggests: the accounts of
// entries and contexts close, and every question is counted.
#include "core/base/json_fields.h"
#include "core/workload/datasets/import_workload.h"
#include "tests/fuzz/fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvantage;
  if (size < 1) return 0;
  static const test::MemoryFile file;
  file.write(test::text_of(data + 1, size - 1));
  const auto formats = import_formats();
  const std::size_t which = data[0] % (formats.size() + 1);
  ImportOptions options;
  options.squad.whole_articles = data[0] >= 128;
  ImportReport report;
  const auto workload = import_workload(
      {file.path()}, which < formats.size() ? std::string(formats[which].name) : "auto", options, &report);
  if (!workload) {
    test::check_file_refusal(workload.error());
    return 0;
  }
  test::must_hold(report.entries.balanced(), "the account of entries closes");
  test::must_hold(report.contexts.balanced(), "the account of contexts closes");
  test::must_hold(report.entries.made == workload->questions.size(), "every question is counted");
  test::must_hold(!workload->contexts.empty() && !workload->questions.empty(), "a workload has something to ask");
  for (const WorkloadQuestion& question : workload->questions)
    test::must_hold(question.context < workload->contexts.size(), "a question is of a context");
  for (const WorkloadContext& context : workload->contexts)
    test::must_hold(!context.text.empty() && valid_utf8(context.text) == context.text, "a context is text");
  return 0;
}
