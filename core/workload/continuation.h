// What a text says after a probe, to tell whether a model reads the text at all. A profile cannot: it scores answers to
// probes against the answer with the uncompressed cache, whatever that says.
#pragma once

#include <string_view>

namespace kvantage::inline workload {

/// What follows a probe's stretch in `text`; empty where the question is no probe of it.
std::string_view continuation_of(std::string_view text, std::string_view question);

/// Share of `answer`, 0 to 1, up to its first difference from `continuation`; white space aside. 0 for an empty answer.
double continued_share(std::string_view answer, std::string_view continuation);

}  // namespace kvantage::inline workload
