#include "core/report/share/share_requests.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "core/base/shown_text.h"
#include "core/base/units.h"
#include "core/ports/reason_text.h"
#include "core/report/request_facts.h"
#include "core/report/share/share_settings.h"

namespace kvantage::inline share {
namespace {

constexpr int request_digits = 6;

/// Names that many requests share, each once.
class NameTable {
 public:
  std::size_t place_of(const std::string& name) {
    const auto [found, is_new] = places_.try_emplace(name, names_.size());
    if (is_new) names_.push_back(share_line(name));
    return found->second;
  }
  Json take() { return std::move(names_); }

 private:
  std::map<std::string, std::size_t> places_;
  Json names_ = Json::array();
};

Json rounded(double value) {
  return share_number(std::isfinite(value) ? round_to_digits(value, request_digits) : value);
}

/// The form in which a stored cache was loaded; empty for one that was computed.
std::string kv_text(const RequestRecord& record) {
  if (!is_hit(record)) return {};
  if (record.method == "none") return "uncompressed";
  if (!(record.removed_fraction > 0)) return record.method;
  return record.method + ", " + format_fixed(record.removed_fraction * 100, 0) + " % removed";
}

Json quality_of(const RequestRecord& record, const std::string& metric) {
  const auto found = record.quality.find(metric);
  return found == record.quality.end() ? Json() : rounded(found->second);
}

int flags_of(const ShareRequest& request) {
  return (request.warmup ? share_warmup : 0) | (request.record->cancelled ? share_cancelled : 0) |
         (request.record->held_out ? 0 : share_profile_question);
}

}  // namespace

Json share_number(double value) {
  constexpr double exact = 9007199254740992;  // 2^53: a browser has doubles
  if (value == std::trunc(value) && std::fabs(value) < exact) return static_cast<std::int64_t>(value);
  return std::isfinite(value) ? Json(value) : Json();
}

Json share_times(const std::vector<double>& seconds) {
  Json times = Json::array();
  for (const double one : seconds) times.push_back(share_number(std::round(one * 1e6) / 1e6));
  return times;
}

Json share_requests(const ShareJournal& journal, const std::vector<std::size_t>& kept, const std::string& metric) {
  struct Time {
    const char* column;
    double RequestTiming::*seconds;
  };
  constexpr std::array times{Time{"ttft", &RequestTiming::ttft_service_seconds},
                             Time{"queue", &RequestTiming::queue_seconds},
                             Time{"lookup", &RequestTiming::lookup_seconds},
                             Time{"load", &RequestTiming::load_seconds},
                             Time{"unpack", &RequestTiming::decode_seconds},
                             Time{"context_prefill", &RequestTiming::context_prefill_seconds},
                             Time{"question_prefill", &RequestTiming::question_prefill_seconds}};
  NameTable contexts, sources, forms, misses;
  std::map<std::string, Json> columns;
  for (const char* column : {"id", "segment", "context", "source", "kv", "miss", "quality", "provenance", "flags"})
    columns[column] = Json::array();
  for (const Time& time : times) columns[time.column] = Json::array();
  std::vector<double> finished;
  finished.reserve(kept.size());
  for (const std::size_t place : kept) {
    const ShareRequest& request = journal.requests[place];
    const RequestRecord& record = *request.record;
    finished.push_back(request.seconds);
    columns["id"].push_back(record.id);
    columns["segment"].push_back(request.segment);
    columns["context"].push_back(contexts.place_of(record.context_id));
    columns["source"].push_back(sources.place_of(record.source));
    columns["kv"].push_back(forms.place_of(kv_text(record)));
    columns["miss"].push_back(misses.place_of(std::string(reason_text(record.miss_reason))));
    for (const Time& time : times) columns[time.column].push_back(rounded(record.timing.*time.seconds));
    columns["quality"].push_back(quality_of(record, metric));
    columns["provenance"].push_back(display_name(record.provenance));
    columns["flags"].push_back(flags_of(request));
  }
  Json json = Json::object();
  for (auto& [name, values] : columns) json[name] = std::move(values);
  json["t"] = share_times(finished);
  json["names"] = {
      {"context", contexts.take()}, {"source", sources.take()}, {"kv", forms.take()}, {"miss", misses.take()}};
  return json;
}

SharedTexts share_texts(const ShareJournal& journal, const std::vector<std::size_t>& kept, const ShareLimits& limits) {
  using Text = std::pair<const char*, const std::string*>;
  SharedTexts texts{Json::object(), 0};
  for (const char* column : {"question", "answer", "reference", "full"}) texts.columns[column] = Json::array();
  std::size_t bytes = 0;
  bool full = false;
  for (const std::size_t place : kept) {
    const RequestRecord& record = *journal.requests[place].record;
    const std::array all{Text{"question", &record.question}, Text{"answer", &record.answer},
                         Text{"reference", &record.gold}, Text{"full", &record.reference_answer}};
    std::size_t more = 0;
    for (const auto& [column, text] : all) more += std::min(text->size(), limits.text_bytes);
    full = full || bytes + more > limits.all_text_bytes;
    if (!full) {
      bytes += more;
      ++texts.count;
    }
    for (const auto& [column, text] : all)
      texts.columns[column].push_back(full ? std::string() : shortened(*text, limits.text_bytes));
  }
  return texts;
}

}  // namespace kvantage::inline share
