// A workload: contexts, questions about them, and how requests arrive. On disk a folder (docs/file-formats.md):
// workload.json (name, seed, licence, arrival process), contexts.jsonl, questions.jsonl, and schedule.jsonl where
// arrivals are recorded and not drawn. Reading is strict: an unknown field, a double id or a question about no context
// is refused with file, line and field.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/workload/bursts.h"
#include "core/workload/drift.h"
#include "core/workload/schedule.h"

namespace kvantage {

struct WorkloadContext {
  std::string id;      // unique
  std::string family;  // "registry", "news", ...
  std::string text;
};

/// profile questions make quality curves, held-out ones are asked by requests; a question is one or the other.
enum class QuestionSplit : std::uint8_t { profile, held_out };

struct WorkloadQuestion {
  std::size_t context = 0;  // index into Workload::contexts
  std::string question;
  std::string gold;  // empty: the answer with the uncompressed cache (the reference answer) stands in for it
  QuestionSplit split = QuestionSplit::held_out;
  std::vector<std::string> other_golds = {};  // accepted as well; only where there is a gold
  int phase = 0;                              // 0: asked before a drift, 1: after it; profile questions are of phase 0
  int max_answer_tokens = 0;                  // where an answer is cut off; 0: as the engine does (48)
};

inline constexpr int most_answer_tokens = 100000;         // of a question
inline constexpr std::uint64_t most_requests = 10000000;  // of a run: their sequence is made at its start

/// How requests choose contexts and when they come.
struct ArrivalProcess {
  double requests_per_second = 0;  // Poisson arrivals; 0: the next one comes when the last is answered
  double zipf_exponent = 1.0;      // popularity of the i-th context ~ 1 / rank^exponent; ranks are drawn by the seed
  std::uint64_t requests = 200;    // length of the request sequence
  double tail_share = 0;           // of requests that go to any context alike: a long flat tail under the power law
  std::optional<Bursts> bursts = {};
  std::optional<Drift> drift = {};  // of questions; without it those of phase 1 are not asked
};

struct WorkloadRequest {
  std::size_t context = 0;     // index
  std::size_t question = 0;    // index, always held out
  double arrival_seconds = 0;  // from the start of the run; 0 throughout when requests_per_second is 0
  double gap = -1;             // behind the one before in mean gaps, by a schedule; below 0: drawn
  double pace = 1;             // rate at which it follows the one before, over the mean rate: above 1 in a burst
};

struct Workload {
  std::string name;
  std::string licence;
  std::uint64_t seed = 0;
  std::string made_by;           // the command that made it, if any
  std::string description = {};  // what it shows, in a line
  ArrivalProcess arrivals;
  std::vector<WorkloadContext> contexts;
  std::vector<WorkloadQuestion> questions;
  std::vector<ScheduledRequest> schedule = {};  // empty: arrivals are drawn; else they have its number and mean rate

  /// Of texts, questions, split, phase and longest answers: what profiles are keyed by. Arrivals do not enter.
  Digest128 digest() const;
  /// The first `limit` requests (0: arrivals.requests) for a seed; the same on every machine. The sequence for a
  /// larger limit starts with that for a smaller one: bursts and drift lie where they lie in a run of
  /// arrivals.requests. Contexts without held-out questions are never asked; a context that has none of the phase that
  /// is due is asked those that it has. With a schedule they come as it says, at its times where the rate is the
  /// recorded one, in proportion to them at another; a longer sequence begins it anew.
  std::vector<WorkloadRequest> requests(std::uint64_t limit, std::uint64_t seed) const;
};

/// Leaves each context its first `most` questions of the profile split; 0: all. Those held out stay, and so does the
/// schedule.
void keep_profile_questions(Workload& workload, std::size_t most);

/// rejected_input names file, line, field and the mend.
Expected<Workload> read_workload(const std::filesystem::path& folder);
/// workload.json alone: no contexts, no questions.
Expected<Workload> read_workload_head(const std::filesystem::path& folder);
/// Writes the three files; rejected_input when the folder cannot be written to.
Status write_workload(const Workload& workload, const std::filesystem::path& folder);

}  // namespace kvantage
