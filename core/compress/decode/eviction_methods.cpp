#include "core/compress/decode/eviction_methods.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>

#include "core/base/did_you_mean.h"
#include "core/compress/decode/quest.h"
#include "core/compress/decode/rescoring.h"
#include "core/compress/scorers/file_scorer.h"

namespace kvantage::inline decode_eviction {
namespace {

struct Row {
  std::string_view name, parameters;
  EvictionFactory make;
};

constexpr Row table[] = {
#define KV_DECODE_METHOD(name, parameters, attention, cadence, summary, source) \
  {#name, parameters, make_##name##_eviction},
#define KV_PAGE_METHOD(name, parameters, summary, source) {#name, parameters, make_##name##_eviction},
#define KV_PAGE_SELECTOR(name, parameters, summary, source)
#include "core/ports/decode_methods.inl"
#undef KV_DECODE_METHOD
#undef KV_PAGE_METHOD
#undef KV_PAGE_SELECTOR
};

}  // namespace

Expected<std::unique_ptr<DecodeEviction>> make_eviction(std::string_view text, const EvictionSetting& setting) {
  KV_ASSIGN(auto parts, read_method_text(text));
  if (const DecodeMethodInfo* known = find_decode_method(parts.name)) parts.name = known->name;
  std::vector<std::string_view> names;
  for (const Row& row : table) {
    names.push_back(row.name);
    if (parts.name != row.name) continue;
    KV_ASSIGN(const auto parameters, Parameters::resolve(parts, row.parameters));
    return row.make(parameters, setting);
  }
  if (auto host = find_file_scorer(parts.name); host != nullptr && host->facts().needs.decode_eviction) {
    KV_TRY(Parameters::resolve(parts, {}));  // it takes none
    const int window = host->facts().needs.window_queries;
    return std::make_unique<RescoringEviction>(setting, make_file_scorer(std::move(host)), window, /*recent=*/1);
  }
  return fail(ErrorCode::usage, "unknown eviction method '" + parts.name + "'; " + did_you_mean(parts.name, names));
}

std::vector<DecodeMethodInfo> known_eviction_methods() {
  std::vector<DecodeMethodInfo> methods;
  std::ranges::copy_if(all_decode_methods(), std::back_inserter(methods), std::not_fn(&DecodeMethodInfo::selects));
  return methods;
}

Status check_decode_eviction(const DecodeEvictionSetting& eviction) {
  if (eviction.selects_pages()) {
    KV_TRY(read_quest(eviction.method));
  } else {
    KV_TRY(make_eviction(eviction.method, {}));
  }
  return {};
}

KeptIndices lowest_rows(const std::vector<std::vector<float>>& scores, int count, int recent, bool shared) {
  const auto lowest = [&](const std::vector<float>& row_scores) {
    const auto may_go = row_scores.size() - std::min(row_scores.size(), static_cast<std::size_t>(recent));
    std::vector<std::int32_t> rows(may_go);
    std::iota(rows.begin(), rows.end(), 0);
    const auto wanted = std::min(static_cast<std::size_t>(count), rows.size());
    const auto goes_first = [&](std::int32_t a, std::int32_t b) {
      const float x = row_scores[static_cast<std::size_t>(a)], y = row_scores[static_cast<std::size_t>(b)];
      return x != y ? x < y : a < b;
    };
    std::ranges::partial_sort(rows, rows.begin() + static_cast<std::ptrdiff_t>(wanted), goes_first);
    rows.resize(wanted);
    std::ranges::sort(rows);
    return rows;
  };
  KeptIndices victims;
  if (!shared) {
    for (const auto& head : scores) victims.push_back(lowest(head));
    return victims;
  }
  std::vector<float> sum(scores.front().size(), 0.0F);
  for (const auto& head : scores)
    for (std::size_t t = 0; t < sum.size(); ++t) sum[t] += head[t];
  return KeptIndices(scores.size(), lowest(sum));
}

}  // namespace kvantage::inline decode_eviction
