// A workload: contexts, questions about them, and how requests arrive. On disk a folder (docs/file-formats.md):
// workload.json (name, seed, license, arrival process), contexts.jsonl, questions.jsonl, and schedule.jsonl where
// arrivals are recorded rather than drawn. Reading is strict: an unknown field, a duplicate id or a question about an
// unknown context is rejected with file, line and field.
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

namespace kvantage::inline workload {

struct WorkloadContext {
  std::string id;      // unique
  std::string family;  // "registry", "news", ...
  std::string text;
};

/// Profile questions build quality curves, held-out ones are asked by requests; each question is one or the other.
enum class QuestionSplit : std::uint8_t { profile, held_out };

struct WorkloadQuestion {
  std::size_t context = 0;  // index into Workload::contexts
  std::string question;
  std::string gold;  // empty: the answer with the uncompressed cache (the reference answer) replaces it
  QuestionSplit split = QuestionSplit::held_out;
  std::vector<std::string> other_golds = {};  // also accepted; only with a gold
  int phase = 0;                              // 0: asked before a drift, 1: after it; profile questions are of phase 0
  int max_answer_tokens = 0;                  // maximum answer length; 0: the engine's default (48)
};

inline constexpr int max_answer_tokens = 100000;         // per question
inline constexpr std::uint64_t max_requests = 10000000;  // per run: the sequence is generated at its start

// A workload of others is read in bounded time and memory: lines of a few bytes are as slow as those that hold texts.
inline constexpr std::size_t max_workload_contexts = 500'000, max_workload_questions = 1'000'000;
inline constexpr std::size_t max_workload_other_golds = 2'000'000;                  // of all questions
inline constexpr std::uint64_t max_workload_text_bytes = std::uint64_t{256} << 20;  // of contexts and questions

/// How requests choose contexts and when they arrive.
struct ArrivalProcess {
  double requests_per_second = 0;  // Poisson arrivals; 0: closed loop
  double zipf_exponent = 1.0;      // popularity of the i-th context ~ 1 / rank^exponent; ranks are drawn by the seed
  std::uint64_t requests = 200;    // length of the request sequence
  double tail_share = 0;           // of requests that choose a context uniformly: a long flat tail under the power law
  std::optional<Bursts> bursts = {};
  std::optional<Drift> drift = {};  // of questions; without it those of phase 1 are not asked
  bool each_context_first = false;  // the first requests are about every context once, in the workload's order
};

struct WorkloadRequest {
  std::size_t context = 0;     // index
  std::size_t question = 0;    // index, always held out
  double arrival_seconds = 0;  // from the start of the run; 0 throughout when requests_per_second is 0
  double gap = -1;             // since the previous one in mean gaps, by a schedule; below 0: drawn
  double pace = 1;             // arrival rate relative to the overall mean: above 1 in a burst
};

struct Workload {
  std::string name;
  std::string license;
  std::uint64_t seed = 0;
  std::string made_by;           // the command that created it, if any
  std::string description = {};  // what it demonstrates, in one line
  ArrivalProcess arrivals;
  std::vector<WorkloadContext> contexts;
  std::vector<WorkloadQuestion> questions;
  std::vector<ScheduledRequest> schedule = {};  // empty: arrivals are drawn; otherwise sets their number and mean rate

  /// Digest of texts, questions, split, phase and answer limits: the key of profiles. Arrivals are excluded.
  Digest128 digest() const;
  /// The first `limit` requests (0: arrivals.requests) for a seed; the same on every machine. The sequence for a larger
  /// limit starts with that for a smaller one: bursts and drift are positioned as in a run of arrivals.requests.
  /// Contexts without held-out questions are never asked; a context without questions of the current phase is asked its
  /// other ones. A schedule defines the order and the times, scaled when the rate differs from the recorded one; a
  /// longer sequence repeats it.
  std::vector<WorkloadRequest> requests(std::uint64_t limit, std::uint64_t seed) const;
};

/// Keeps each context's first `most` profile questions; 0: all. Held-out questions and the schedule are unchanged.
void keep_profile_questions(Workload& workload, std::size_t most);

/// rejected_input names file, line, field and fix.
Expected<Workload> read_workload(const std::filesystem::path& folder);
/// Only workload.json: no contexts, no questions.
Expected<Workload> read_workload_head(const std::filesystem::path& folder);
/// rejected_input, naming it, where a file that a workload or its session may have in the folder is a link to a file
/// outside it. Part of reading either.
Status check_workload_links(const std::filesystem::path& folder);
/// Writes the three files; rejected_input when the folder is not writable.
Status write_workload(const Workload& workload, const std::filesystem::path& folder);

}  // namespace kvantage::inline workload
