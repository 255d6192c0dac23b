// links: core_workload
// The files of a workload, in the order workload.json, contexts.jsonl, questions.jsonl, schedule.jsonl: what is read is
// written the same, and its requests ask held-out questions about their own contexts.
#include <algorithm>
#include <set>

#include "core/workload/workload.h"
#include "tests/fuzz/fuzzing.h"

namespace {

using namespace kvantage;

void check_requests(const Workload& workload) {
  const auto requests = workload.requests(50, 7);
  test::must_hold(requests.size() <= 50, "there are no more requests than asked for");
  double before = 0;
  for (const WorkloadRequest& request : requests) {
    test::must_hold(request.context < workload.contexts.size() && request.question < workload.questions.size(),
                    "a request asks what the workload has");
    const WorkloadQuestion& question = workload.questions[request.question];
    test::must_hold(question.context == request.context && question.split == QuestionSplit::held_out,
                    "a request asks a held-out question about its context");
    test::must_hold(request.arrival_seconds >= before, "requests arrive in order");
    before = request.arrival_seconds;
  }
  const auto fewer = workload.requests(5, 7);
  for (std::size_t i = 0; i < fewer.size(); ++i)
    test::must_hold(fewer[i].context == requests[i].context && fewer[i].question == requests[i].question,
                    "a longer sequence begins with a shorter one");
}

void check_written(const Workload& workload) {
  static const test::MemoryFolder folder;
  const Status written = write_workload(workload, folder.path());
  test::must_hold(written.has_value(), "what was read can be written");
  const auto again = read_workload(folder.path());
  test::must_hold(again.has_value(), "what was written is read");
  test::must_hold(again->name == workload.name && again->seed == workload.seed && again->digest() == workload.digest(),
                  "a workload is read as it was written");
  test::must_hold(again->schedule == workload.schedule && schedule_digest(*again) == schedule_digest(workload),
                  "a schedule is read as it was written");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const test::MemoryFolder folder;
  constexpr const char* names[] = {"workload.json", "contexts.jsonl", "questions.jsonl", "schedule.jsonl"};
  const auto files = test::sections_of(test::text_of(data, size));
  for (std::size_t i = 0; i < std::size(names); ++i) {
    if (i < files.size())
      folder.write(names[i], files[i]);
    else
      folder.remove(names[i]);
  }
  const auto workload = read_workload(folder.path());
  if (!workload) {
    test::check_file_refusal(workload.error());
    return 0;
  }
  std::set<std::string> ids;
  for (const WorkloadContext& context : workload->contexts)
    test::must_hold(ids.insert(context.id).second && !context.text.empty(), "contexts have texts and ids of their own");
  for (const WorkloadQuestion& question : workload->questions)
    test::must_hold(question.context < workload->contexts.size(), "a question is about a context");
  check_requests(*workload);
  check_written(*workload);
  return 0;
}
