#include "core/workload/arrivals_json.h"

#include "core/base/json_fields.h"
#include "core/workload/arrivals.h"

namespace kvantage {

template <>
struct JsonFields<Bursts> {
  static constexpr auto list = std::tuple(
      json_member("factor", &Bursts::factor), json_member("mean_requests", &Bursts::mean_requests),
      json_member("mean_quiet_requests", &Bursts::mean_quiet_requests), json_member("contexts", &Bursts::contexts));
};

template <>
struct JsonFields<Drift> {
  static constexpr auto list = std::tuple(json_member("begin", &Drift::begin), json_member("end", &Drift::end),
                                          json_member("one_by_one", &Drift::one_by_one));
};

}  // namespace kvantage

namespace kvantage::inline workload {

namespace {

template <class T>
Status read_or_keep(const Json& json, const char* field, const std::string& name, T& value) {
  KV_ASSIGN(auto read, json_field_or<T>(json, field, name, value));
  value = read;
  return {};
}

template <class Schedule>
Status read_schedule(const Json& json, const char* field, const std::string& name, std::optional<Schedule>& schedule) {
  if (!json.contains(field) || json.at(field).is_null()) return {};
  return json_into(json.at(field), schedule.emplace(), name + ": arrivals: " + field, AbsentFields::keep_defaults);
}

}  // namespace

Expected<ArrivalProcess> arrivals_from_json(const Json& json, const std::string& name) {
  ArrivalProcess process;
  KV_TRY(refuse_unknown_fields(
      json, {"requests_per_second", "zipf_exponent", "requests", "tail_share", "bursts", "drift", "each_context_first"},
      name + ": arrivals"));
  KV_TRY(read_or_keep(json, "requests_per_second", name, process.requests_per_second));
  KV_TRY(read_or_keep(json, "zipf_exponent", name, process.zipf_exponent));
  KV_TRY(read_or_keep(json, "requests", name, process.requests));
  KV_TRY(read_or_keep(json, "tail_share", name, process.tail_share));
  KV_TRY(read_schedule(json, "bursts", name, process.bursts));
  KV_TRY(read_schedule(json, "drift", name, process.drift));
  KV_TRY(read_or_keep(json, "each_context_first", name, process.each_context_first));
  if (const Status fine = check(process); !fine)
    return fail(ErrorCode::rejected_input, name + ": " + fine.error().message);
  return process;
}

OrderedJson arrivals_to_json(const ArrivalProcess& process) {
  OrderedJson json{{"requests_per_second", process.requests_per_second},
                   {"zipf_exponent", process.zipf_exponent},
                   {"requests", process.requests}};
  if (process.tail_share > 0) json["tail_share"] = process.tail_share;
  if (process.bursts) json["bursts"] = json_from(*process.bursts);
  if (process.drift) json["drift"] = json_from(*process.drift);
  if (process.each_context_first) json["each_context_first"] = true;
  return json;
}

}  // namespace kvantage::inline workload
