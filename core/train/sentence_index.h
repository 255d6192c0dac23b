// Sentences of a generated text that can be continued: the start of a sentence asks for its rest, a whole sentence for
// the next one. Profiling asks such questions for texts without any.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/random.h"
#include "core/workload/families/families.h"

namespace kvantage::inline training {

class SentenceIndex {
 public:
  /// `text` must outlive the index. A sentence ends with '.' or ';' before a space or the end.
  explicit SentenceIndex(std::string_view text);
  std::size_t size() const { return sentences_.size(); }
  /// A start that occurs once in the text, and its continuation; nothing when a few attempts find none.
  std::optional<GeneratedQuestion> draw(Random& random) const;

 private:
  bool once(std::string_view part) const;

  std::string_view text_;
  std::vector<std::string_view> sentences_;
};

}  // namespace kvantage::inline training
