// links: core_workload
// Data sets that are imported as workloads, of every format and of the one that their content suggests.
#include <sys/mman.h>
#include <unistd.h>

#include "core/workload/import_workload.h"
#include "tests/fuzz/fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvantage;
  if (size < 1) return 0;
  static const int file = ::memfd_create("import", 0);
  if (file < 0 || ::ftruncate(file, 0) != 0 || ::pwrite(file, data + 1, size - 1, 0) != static_cast<ssize_t>(size - 1))
    return 0;
  const auto formats = import_formats();
  const std::size_t which = data[0] % (formats.size() + 1);
  ImportOptions options;
  options.squad.whole_articles = data[0] >= 128;
  ImportReport report;
  const auto workload =
      import_workload({"/proc/self/fd/" + std::to_string(file)},
                      which < formats.size() ? std::string(formats[which].name) : "auto", options, &report);
  if (!workload) {
    test::check_refusal(workload.error());
    return 0;
  }
  test::must_hold(report.entries.balanced(), "the account of entries closes");
  for (const WorkloadQuestion& question : workload->questions)
    test::must_hold(question.context < workload->contexts.size(), "a question is of a context");
  return 0;
}
