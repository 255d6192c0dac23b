// The requests of runs: what the window's table of requests exports, with the run, its settings and more times.
#include <map>
#include <set>
#include <string>

#include "core/base/json.h"
#include "core/report/formats/report_columns.h"
#include "core/report/request_facts.h"
#include "core/report/serving_ways.h"
#include "core/report/summary_table.h"

namespace kvantage::inline formats {
namespace {

constexpr std::size_t max_quality_columns = 64;  // names of metrics come from files of others

/// "A" to "Z", then "AA", "AB".
std::string letters_of_run(std::size_t run) {
  return (run < 26 ? std::string() : letters_of_run(run / 26 - 1)) + run_letter(run % 26);
}

struct RequestRow {
  const RequestRecord& record;
  std::string_view run, run_id, policy;
  std::int64_t finished_utc_ns;
  bool warmup;
};

struct RequestColumn {
  const char* name;
  ColumnType type;
  const char* unit;
  TableCell (*of)(const RequestRow& row);
  bool of_answered = true;  // empty for a canceled request
};

/// Whether a cache that lacks tokens or precision served it.
bool is_compressed(const RequestRecord& record) {
  return is_hit(record) && (record.removed_fraction > 0 || record.method != "none");
}

TableCell not_below_zero(double value) { return value < 0 ? TableCell() : TableCell(value); }

/// Per decoded token; nothing where the answer was not decoded with its context on a tier.
TableCell per_step(const RequestRow& row, double (*sum)(const OffloadRecord& record)) {
  const auto& offload = row.record.decoding.offload;
  return offload && offload->decoded() ? TableCell(offload->per_step(sum(*offload))) : TableCell();
}

/// Nothing where the answer was not decoded with speculation.
TableCell of_speculation(const RequestRow& row, TableCell (*of)(const SpeculationRecord& record)) {
  const auto& speculation = row.record.decoding.speculation;
  return speculation && speculation->decoded() ? of(*speculation) : TableCell();
}

using Row = const RequestRow&;
using Value = TableCell;

constexpr ColumnType whole = ColumnType::whole, real = ColumnType::real, flag = ColumnType::flag,
                     utf8 = ColumnType::text;

constexpr RequestColumn request_identity[] = {
    {"run", utf8, "", [](Row r) -> Value { return r.run; }, false},
    {"run_id", utf8, "", [](Row r) -> Value { return r.run_id; }, false},
    {"policy", utf8, "", [](Row r) -> Value { return text_or_nothing(r.policy); }, false},
    {"alpha", real, "s", [](Row r) -> Value { return r.record.alpha; }, false},
    {"request", whole, "", [](Row r) -> Value { return whole_cell(r.record.id); }, false},
    {"finished_utc_ns", whole, "ns", [](Row r) -> Value { return r.finished_utc_ns; }, false},
    {"warmup", flag, "", [](Row r) -> Value { return r.warmup; }, false},
    {"cancelled", flag, "", [](Row r) -> Value { return r.record.cancelled; }, false},
    {"held_out", flag, "", [](Row r) -> Value { return r.record.held_out; }, false},
    {"context", utf8, "", [](Row r) -> Value { return text_or_nothing(r.record.context_id); }, false},
    {"family", utf8, "", [](Row r) -> Value { return text_or_nothing(r.record.family); }, false},
};

constexpr RequestColumn request_cache[] = {
    {"source", utf8, "", [](Row r) -> Value { return text_or_nothing(r.record.source); }},
    {"miss_reason", utf8, "", [](Row r) -> Value { return text_or_nothing(r.record.miss_reason); }},
    {"method", utf8, "", [](Row r) -> Value { return is_compressed(r.record) ? Value(r.record.method) : "none"; }},
    {"removed_fraction", real, "1",
     [](Row r) -> Value { return is_compressed(r.record) ? r.record.removed_fraction : 0; }},
    {"context_tokens", whole, "1", [](Row r) -> Value { return r.record.context_tokens; }},
    {"question_tokens", whole, "1", [](Row r) -> Value { return r.record.question_tokens; }},
    {"answer_tokens", whole, "1", [](Row r) -> Value { return r.record.answer_tokens; }},
    {"kept_tokens", whole, "1", [](Row r) -> Value { return r.record.kept_tokens; }},
    {"prefix_hit_tokens", whole, "1", [](Row r) -> Value { return r.record.prefix_hit_tokens; }},
    {"bytes_loaded", whole, "B", [](Row r) -> Value { return whole_cell(r.record.bytes_loaded); }},
    {"way", utf8, "", [](Row r) -> Value { return serving_way(r.record); }},
    {"computed_tokens", whole, "1", [](Row r) -> Value { return r.record.compute_or_load.computed_tokens; }},
    {"tokens_from_inputs", whole, "1", [](Row r) -> Value { return r.record.compute_or_load.tokens_from_inputs; }},
    {"recompute_seconds", real, "s", [](Row r) -> Value { return r.record.compute_or_load.recompute_seconds; }},
};

constexpr RequestColumn request_times[] = {
    {"predicted_seconds", real, "s",
     [](Row r) -> Value { return not_below_zero(predicted_service_seconds(r.record)); }},
    {"ttft_service_seconds", real, "s", [](Row r) -> Value { return r.record.timing.ttft_service_seconds; }},
    {"ttft_seconds", real, "s", [](Row r) -> Value { return r.record.timing.ttft_seconds; }},
    {"queue_seconds", real, "s", [](Row r) -> Value { return r.record.timing.queue_seconds; }},
    {"lookup_seconds", real, "s", [](Row r) -> Value { return r.record.timing.lookup_seconds; }},
    {"load_seconds", real, "s", [](Row r) -> Value { return r.record.timing.load_seconds; }},
    {"unpack_seconds", real, "s", [](Row r) -> Value { return r.record.timing.decode_seconds; }},
    {"context_prefill_seconds", real, "s", [](Row r) -> Value { return r.record.timing.context_prefill_seconds; }},
    {"question_prefill_seconds", real, "s", [](Row r) -> Value { return r.record.timing.question_prefill_seconds; }},
    {"device_seconds", real, "s", [](Row r) -> Value { return r.record.timing.device_seconds; }},
    {"prefetch_seconds", real, "s", [](Row r) -> Value { return r.record.timing.prefetch_seconds; }},
    {"mean_itl_seconds", real, "s",
     [](Row r) -> Value { return r.record.answer_tokens > 1 ? Value(r.record.timing.mean_itl_seconds) : Value(); }},
    {"e2e_seconds", real, "s", [](Row r) -> Value { return r.record.timing.e2e_seconds; }},
};

constexpr RequestColumn request_decoding[] = {
    {"decode_eviction", utf8, "", [](Row r) -> Value { return text_or_nothing(r.record.decoding.eviction); }},
    {"evicted_entries", whole, "1", [](Row r) -> Value { return whole_cell(r.record.decoding.evicted_entries); }},
    {"peak_kv_bytes", whole, "B", [](Row r) -> Value { return whole_cell(r.record.decoding.peak_bytes); }},
    {"held_kv_bytes", whole, "B", [](Row r) -> Value { return whole_cell(r.record.decoding.held_bytes); }},
    {"decode_offload", utf8, "",
     [](Row r) -> Value {
       const auto& offload = r.record.decoding.offload;
       return offload ? text_or_nothing(offload->setting) : Value();
     }},
    {"recomputed_tokens_per_token", real, "1",
     [](Row r) {
       return per_step(r, [](const OffloadRecord& o) { return static_cast<double>(o.recomputed_tokens); });
     }},
    {"read_bytes_per_token", real, "B",
     [](Row r) { return per_step(r, [](const OffloadRecord& o) { return static_cast<double>(o.read_bytes()); }); }},
    {"step_seconds", real, "s", [](Row r) { return per_step(r, [](const OffloadRecord& o) { return o.seconds; }); }},
    {"predicted_step_seconds", real, "s",
     [](Row r) { return per_step(r, [](const OffloadRecord& o) { return o.predicted_seconds; }); }},
    {"speculation", utf8, "",
     [](Row r) -> Value {
       const auto& speculation = r.record.decoding.speculation;
       return speculation ? text_or_nothing(speculation->setting) : Value();
     }},
    {"drafted_tokens", whole, "1",
     [](Row r) { return of_speculation(r, [](const SpeculationRecord& s) -> Value { return s.drafted; }); }},
    {"accepted_tokens", whole, "1",
     [](Row r) { return of_speculation(r, [](const SpeculationRecord& s) -> Value { return s.accepted; }); }},
    {"tokens_per_pass", real, "1",
     [](Row r) { return of_speculation(r, [](const SpeculationRecord& s) -> Value { return s.tokens_per_pass(); }); }},
    {"provenance", utf8, "", [](Row r) -> Value { return to_string(r.record.provenance); }},
    {"predicted_quality", real, "1", [](Row r) -> Value { return not_below_zero(r.record.predicted_quality); }},
};

constexpr RequestColumn request_texts[] = {
    {"question", utf8, "", [](Row r) -> Value { return text_or_nothing(r.record.question); }, false},
    {"answer", utf8, "", [](Row r) -> Value { return r.record.answer; }, false},
};

using Qualities = std::map<std::string, double> AnswerScores::*;
/// Column by column: "quality_token_f1" and where its numbers are.
using QualityColumns = std::map<std::string, std::pair<Qualities, std::string>>;

std::size_t finished_requests(const std::vector<RecordedRun>& runs) {
  std::size_t requests = 0;
  for (const RecordedRun& run : runs)
    for (const Event& event : run.events)
      requests += std::holds_alternative<events::RequestFinished>(event.payload) ? 1 : 0;
  return requests;
}

QualityColumns quality_columns(const std::vector<RecordedRun>& runs) {
  QualityColumns columns;
  for (const auto& [beginning, scores] : {std::pair<const char*, Qualities>{"quality_", &AnswerScores::quality},
                                          {"quality_uncompressed_", &AnswerScores::quality_uncompressed},
                                          {"quality_chance_", &AnswerScores::quality_chance}}) {
    std::set<std::string> metrics;
    for (const RecordedRun& run : runs)
      for (const Event& event : run.events)
        if (const auto* finished = std::get_if<events::RequestFinished>(&event.payload))
          for (const auto& [metric, score] : finished->record.*scores)
            if (metrics.size() < max_quality_columns) metrics.insert(metric);
    for (const std::string& metric : metrics)
      if (columns.size() < max_quality_columns) columns.try_emplace(beginning + metric, scores, metric);
  }
  return columns;
}

class RequestTable {
 public:
  explicit RequestTable(const std::vector<RecordedRun>& runs) : qualities_(quality_columns(runs)) {
    declare(request_identity);
    declare(request_cache);
    declare(request_times);
    declare(request_decoding);
    for (const auto& [name, ignored] : qualities_) table_.columns.emplace_back(name, ColumnType::real, "1");
    declare(request_texts);
    const std::size_t requests = finished_requests(runs);
    for (TableColumn& column : table_.columns) column.reserve(requests);
    for (std::size_t i = 0; i < runs.size(); ++i) add(runs[i], letters_of_run(i));
    table_.name = "requests";
    table_.facts = {{"runs", dump_json(origins_)}};
  }
  ColumnTable take() { return std::move(table_); }

 private:
  template <std::size_t count>
  void declare(const RequestColumn (&columns)[count]) {
    for (const RequestColumn& column : columns) table_.columns.emplace_back(column.name, column.type, column.unit);
  }

  template <std::size_t count>
  void fill(const RequestColumn (&columns)[count], const RequestRow& row, std::vector<TableColumn>::iterator& at) {
    for (const RequestColumn& column : columns)
      (at++)->add(column.of_answered && row.record.cancelled ? TableCell() : column.of(row));
  }

  void add(const RequestRow& row) {
    auto at = table_.columns.begin();
    fill(request_identity, row, at);
    fill(request_cache, row, at);
    fill(request_times, row, at);
    fill(request_decoding, row, at);
    for (const auto& [name, where] : qualities_) {
      const auto& scores = row.record.*where.first;
      const auto found = scores.find(where.second);
      (at++)->add(row.record.cancelled || found == scores.end() ? TableCell() : TableCell(found->second));
    }
    fill(request_texts, row, at);
  }

  void add(const RecordedRun& run, const std::string& letters) {
    std::uint64_t warmup_left = warmup_requests(run.summary.settings);
    std::string policy = run.summary.policy;
    for (const Event& event : run.events) {
      const auto* finished = std::get_if<events::RequestFinished>(&event.payload);
      if (finished == nullptr) continue;
      if (!finished->record.policy.empty()) policy = finished->record.policy;
      add({finished->record, letters, run.summary.run_id, policy, event.utc_ns, warmup_left > 0});
      if (warmup_left > 0) --warmup_left;
    }
    const Json& settings = run.summary.settings;
    const auto environment = settings.is_object() ? settings.find("environment") : settings.end();
    origins_.push_back(
        {{"run", letters},
         {"run_id", run.summary.run_id},
         {"started_utc_ns", run.summary.started_utc_ns},
         {"policy", run.summary.policy},
         {"environment", settings.is_object() && environment != settings.end() ? *environment : Json()}});
  }

  QualityColumns qualities_;
  ColumnTable table_;
  Json origins_ = Json::array();
};

}  // namespace

ColumnTable request_columns(const std::vector<RecordedRun>& runs) { return RequestTable(runs).take(); }

}  // namespace kvantage::inline formats
