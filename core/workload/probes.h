// Questions for texts without any. A model can be asked to continue any text: a probe is a stretch of the text, and the
// answer is what follows it. KVzip (Kim et al. 2025, section 3) measures in this way what a cache still holds. It needs
// no labels, so a user's own texts and models can be profiled as well. Two kinds, in equal shares: the first half of a
// sentence to be continued, and a whole sentence whose next one is to be repeated. Probes are spread evenly over the
// paragraphs, each stretch occurs once in the text, and none is used twice. They have no gold answer: an answer is
// scored against the answer with the uncompressed cache, because a profile measures the loss from compression, not the
// limits of the model. Pure: the same text and options give the same probes on every machine.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/workload/workload.h"

namespace kvantage::inline workload {

enum class ProbeKind : std::uint8_t { continue_sentence, repeat_next };

/// Wording of a probe: bare = only the stretch of text, which the default model is trained on and base models continue
/// naturally; instructed = with an instruction sentence, for chat models.
enum class ProbeWording : std::uint8_t { bare, instructed };

struct Probe {
  ProbeKind kind = ProbeKind::continue_sentence;
  std::string stretch;  // verbatim from the text
  QuestionSplit split = QuestionSplit::profile;
};

struct ProbeOptions {
  std::size_t profile = 8;  // probes per context
  std::size_t held_out = 8;
  ProbeWording wording = ProbeWording::bare;
};

/// Probes of a text in order of position. Fewer than requested where the text is short, but then some of each requested
/// split. None when there is nothing to ask (fewer than eight words, or no unique stretch).
std::vector<Probe> make_probes(std::string_view text, const ProbeOptions& options);

/// The question as given to the model.
std::string worded(const Probe& probe, ProbeWording wording);

/// Adds profile probes to contexts without profile questions, and held-out ones to contexts without any question.
/// Returns how many were added; options.profile or held_out of 0 adds none of that split. rejected_input for a context
/// without questions whose text yields none.
Expected<std::size_t> add_missing_probes(Workload& workload, const ProbeOptions& options);
/// Whether add_missing_probes would add any: a context lacks profile questions.
bool lacks_questions(const Workload& workload);

}  // namespace kvantage::inline workload
