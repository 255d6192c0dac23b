// Questions for texts that come without any. Whatever a text says, it can be asked to go on with itself: a probe is a
// stretch of the text, and the answer is what stands behind it. That is how KVzip (Kim et al. 2025, section 3) finds
// out what a cache still holds, and it needs no labels, so a user's own texts and models can be profiled as well. Two
// kinds, in equal shares: the first half of a sentence that is to be continued, and a whole sentence whose next one is
// to be repeated. Probes are spread evenly over the paragraphs, each stretch occurs once in the text, and none serves
// twice. They carry no gold: an answer is scored against the answer with the uncompressed cache, because a profile is
// to measure what compression takes away and not what the model cannot do. Pure: the same text and options give the
// same probes on every machine.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/workload/workload.h"

namespace kvantage {

enum class ProbeKind : std::uint8_t { continue_sentence, repeat_next };

/// How a probe is put: bare = the stretch of text and nothing else, which the model that ships is trained on and base
/// models continue by nature; instructed = with a sentence that says what to do, for chat models.
enum class ProbeWording : std::uint8_t { bare, instructed };

struct Probe {
  ProbeKind kind = ProbeKind::continue_sentence;
  std::string stretch;  // as it stands in the text
  QuestionSplit split = QuestionSplit::profile;
};

struct ProbeOptions {
  std::size_t profile = 8;  // probes of a context
  std::size_t held_out = 8;
  ProbeWording wording = ProbeWording::bare;
};

/// Probes of a text in the order of their places; fewer than asked for where the text is short, but then some of each
/// split that was asked for; none when there is nothing to ask (fewer than eight words, or nothing that it says only
/// once).
std::vector<Probe> make_probes(std::string_view text, const ProbeOptions& options);

/// The question as the model is asked it.
std::string worded(const Probe& probe, ProbeWording wording);

/// Profile probes for contexts without profile questions, and held-out ones for contexts without any question. Returns
/// how many were added; options.profile or held_out of 0 adds none of that split. rejected_input for a context without
/// any question whose text gives none.
Expected<std::size_t> add_missing_probes(Workload& workload, const ProbeOptions& options);
/// Whether add_missing_probes would add any: a context lacks profile questions.
bool lacks_questions(const Workload& workload);

}  // namespace kvantage
