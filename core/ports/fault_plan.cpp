#include "core/ports/fault_plan.h"

#include <array>
#include <charconv>
#include <set>

#include "core/base/did_you_mean.h"
#include "core/base/duration.h"
#include "core/base/json.h"
#include "core/base/units.h"

namespace kvantage::inline ports {
namespace {

struct FaultKind {
  std::string_view name;
  double FaultPlan::*probability;
};
constexpr std::array<FaultKind, 9> kinds{{{"flip_on_read", &FaultPlan::flip_on_read},
                                          {"flip_on_write", &FaultPlan::flip_on_write},
                                          {"torn_write", &FaultPlan::torn_write},
                                          {"short_read", &FaultPlan::short_read},
                                          {"read_error", &FaultPlan::read_error},
                                          {"write_error", &FaultPlan::write_error},
                                          {"no_space", &FaultPlan::no_space},
                                          {"sync_error", &FaultPlan::sync_error},
                                          {"lost_sync", &FaultPlan::lost_sync}}};

tl::unexpected<Error> refuse(std::string_view part, const std::string& reason) {
  return fail(ErrorCode::usage, "faults: '" + std::string(part) + "': " + reason);
}

Status read_probability(std::string_view part, std::string_view text, double& probability) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size() || !(value >= 0 && value <= 1))
    return refuse(part, "its probability is not a number above 0 up to 1; write it like 0.01");
  if (value == 0) return refuse(part, "with probability 0 it never occurs; leave it out");
  probability = value;
  return {};
}

Expected<FaultDelay> read_delay(std::string_view part, std::string_view text) {
  FaultDelay delay{.probability = 1};
  const std::size_t at = text.find('@');
  const auto seconds = parse_duration(text.substr(0, at));
  if (!seconds || *seconds <= 0)
    return refuse(
        part, "its time is " + (seconds ? std::string("zero") : seconds.error().message) + "; write it like 20ms@0.1");
  if (*seconds > longest_fault_delay) return refuse(part, "a delay is at most 10 s; give a shorter one");
  delay.seconds = *seconds;
  if (at != std::string_view::npos) KV_TRY(read_probability(part, text.substr(at + 1), delay.probability));
  return delay;
}

Status read_part(std::string_view part, std::string_view name, std::string_view value, InjectedFaults& faults) {
  if (double* probability = probability_of(faults.plan, name)) return read_probability(part, value, *probability);
  if (name == "delay" || name == "delay_on_read" || name == "delay_on_write") {
    KV_ASSIGN(const auto delay, read_delay(part, value));
    if (name != "delay_on_write") faults.plan.delay_on_read = delay;
    if (name != "delay_on_read") faults.plan.delay_on_write = delay;
    return {};
  }
  if (name == "space") {
    const auto bytes = parse_bytes(value);
    if (!bytes) return refuse(part, bytes.error().message);
    if (*bytes == 0) return refuse(part, "holds nothing; give the bytes that fit, like 64MiB");
    faults.plan.space_bytes = *bytes;
    return {};
  }
  if (name == "seed") {
    const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), faults.seed);
    if (code != std::errc{} || end != value.data() + value.size())
      return refuse(part, "is not a whole number; write it like seed:7");
    return {};
  }
  std::vector<std::string_view> known;
  known.reserve(std::size(kinds) + 5);
  for (const FaultKind& kind : kinds) known.push_back(kind.name);
  known.insert(known.end(), {"delay", "delay_on_read", "delay_on_write", "space", "seed"});
  std::string all;
  for (const std::string_view word : known) all.append(all.empty() ? "known are " : ", ").append(word);
  return refuse(part, "is not a kind of fault; " + did_you_mean(name, known, all));
}

void add(std::string& text, const std::string& part) { text += (text.empty() ? "" : "+") + part; }

void add_delay(std::string& text, const char* name, const FaultDelay& delay) {
  if (delay.probability <= 0) return;
  add(text, std::string(name) + ":" + shortest_number(delay.seconds) + "s" +
                (delay.probability < 1 ? "@" + shortest_number(delay.probability) : ""));
}

}  // namespace

std::vector<std::string> fault_kinds() {
  std::vector<std::string> names;
  names.reserve(std::size(kinds));
  for (const FaultKind& kind : kinds) names.emplace_back(kind.name);
  return names;
}

double* probability_of(FaultPlan& plan, std::string_view name) {
  for (const FaultKind& kind : kinds)
    if (kind.name == name) return &(plan.*kind.probability);
  return nullptr;
}

Expected<InjectedFaults> parse_faults(std::string_view text) {
  InjectedFaults faults;
  if (text.empty()) return faults;
  std::set<std::string_view> seen;
  for (std::size_t begin = 0; begin != std::string_view::npos;) {
    const std::size_t end = text.find('+', begin);
    const std::string_view part = text.substr(begin, end == std::string_view::npos ? end : end - begin);
    begin = end == std::string_view::npos ? end : end + 1;
    const std::size_t colon = part.find(':');
    if (colon == std::string_view::npos)
      return refuse(part, "is not KIND:PROBABILITY; write faults like flip_on_read:0.01+delay:20ms@0.1+seed:7");
    const std::string_view name = part.substr(0, colon);
    if (!seen.insert(name).second) return refuse(part, "is given twice; remove one");
    KV_TRY(read_part(part, name, part.substr(colon + 1), faults));
  }
  if (seen.contains("delay") && (seen.contains("delay_on_read") || seen.contains("delay_on_write")))
    return refuse("delay", "sets both delays; remove delay_on_read and delay_on_write");
  if (!faults.plan.any()) return refuse(text, "names no fault; add one, like flip_on_read:0.01, or leave faults out");
  return faults;
}

std::string to_string(const InjectedFaults& faults) {
  std::string text;
  if (!faults.plan.any()) return text;
  for (const FaultKind& kind : kinds)
    if (const double probability = faults.plan.*kind.probability; probability > 0)
      add(text, std::string(kind.name) + ":" + shortest_number(probability));
  if (faults.plan.delay_on_read == faults.plan.delay_on_write) {
    add_delay(text, "delay", faults.plan.delay_on_read);
  } else {
    add_delay(text, "delay_on_read", faults.plan.delay_on_read);
    add_delay(text, "delay_on_write", faults.plan.delay_on_write);
  }
  if (faults.plan.space_bytes > 0) add(text, "space:" + std::to_string(faults.plan.space_bytes));
  if (faults.seed != 1) add(text, "seed:" + std::to_string(faults.seed));
  return text;
}

}  // namespace kvantage::inline ports
