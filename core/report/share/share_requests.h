// The requests of a shared run, column by column.
#pragma once

#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/report/share/share_data.h"
#include "core/report/share/share_journal.h"

namespace kvantage::inline share {

/// Bits of the column "flags".
inline constexpr int share_warmup = 1, share_cancelled = 2, share_profile_question = 4;

/// A number of a page: whole where it is, null where it is not finite.
Json share_number(double value);
/// A list of share_number()s of times, rounded to microseconds.
Json share_times(const std::vector<double>& seconds);

/// One list per column, as many elements as requests are kept. `metric`: the quality that is shown.
Json share_requests(const ShareJournal& journal, const std::vector<std::size_t>& kept, const std::string& metric);

struct SharedTexts {
  Json columns;           // question, answer, reference, full: texts, empty beyond the limit
  std::size_t count = 0;  // of requests with their texts
};
SharedTexts share_texts(const ShareJournal& journal, const std::vector<std::size_t>& kept, const ShareLimits& limits);

}  // namespace kvantage::inline share
