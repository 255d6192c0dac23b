// Contexts that are longer than a model can serve, or than the user wants: left out, split into parts, or shortened.
// What is done with them is counted.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/workload/own_text.h"

namespace kvantage::inline datasets {

/// A question with its context as read from a file.
struct ImportedQuestion {
  std::string question;
  std::vector<std::string> golds;  // accepted answers, the first is the gold; empty: none
  int max_answer_tokens = 0;       // as specified by the data set's authors; 0: unspecified
};
struct ImportedContext {
  std::string id;  // preferred; made unique later
  std::string family;
  std::string text;
  std::vector<ImportedQuestion> questions;
};

/// keep: what is longer than max_tokens is left out, what only the model cannot serve is kept and counted.
enum class LongContextAction : std::uint8_t { keep, skip, split, truncate_middle, truncate_end };

struct LongContexts {
  CountTokens count_tokens;       // required with one of the next two
  std::size_t max_tokens = 0;     // wanted; 0: any length
  std::size_t served_tokens = 0;  // what the model serves, question and answer included; 0: not known
  LongContextAction action = LongContextAction::keep;
  std::size_t overlap_tokens = 128;  // of a part with the end of the one before it
};

struct LongContextCounts {
  std::size_t longer = 0;     // contexts that were too long
  std::size_t split = 0;      // of these, into `parts`
  std::size_t parts = 0;      // with a question
  std::size_t truncated = 0;  // in the middle or at the end
  std::size_t skipped = 0;
  std::size_t kept = 0;  // though the model cannot serve them
};

/// Why a context is dropped that its parts take the place of.
inline constexpr const char* split_into_parts = "too long, split into parts";
/// Why a part is dropped. Those that are not are counts.parts: together they are what split contexts became.
inline constexpr const char* part_without_question = "part of a long context, without a question";

/// As options of `kvantage-cli workload import`, with a space before each: " --max-tokens 400 --skip".
std::string length_options(const LongContexts& options);

/// Tokens of a context that a model of `served_tokens` serves beside its questions and their answers; 0: none.
std::size_t context_room(const ImportedContext& context, const LongContexts& options);
/// Counts no more of a text than the answer needs.
bool is_longer_than(std::string_view text, std::size_t tokens, const CountTokens& count_tokens);

/// Replaces contexts that are too long. Reasons why contexts, parts and questions were dropped go to `dropped_contexts`
/// and `dropped_questions`; a context that is split becomes counts.parts contexts "id#1", "id#2". A question goes to
/// the part that contains one of its answers, else to the one with most of its words. usage: an overlap that is not
/// below half of the length.
Status shorten_long_contexts(std::vector<ImportedContext>& contexts, const LongContexts& options,
                             LongContextCounts& counts, std::map<std::string, std::size_t>& dropped_contexts,
                             std::map<std::string, std::size_t>& dropped_questions);

}  // namespace kvantage::inline datasets
