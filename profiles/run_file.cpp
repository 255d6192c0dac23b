#include "profiles/run_file.h"

#include <algorithm>
#include <cstddef>
#include <set>

#include "core/base/file_lines.h"
#include "core/base/files.h"
#include "core/base/names.h"
#include "profiles/run_notes.h"

namespace kvantage {

template <>
struct JsonFields<RunSummary> {
  static constexpr auto list =
      std::tuple(json_member("run_id", &RunSummary::run_id), json_member("started_utc_ns", &RunSummary::started_utc_ns),
                 json_member("finished_utc_ns", &RunSummary::finished_utc_ns),
                 json_member("policy", &RunSummary::policy), json_member("outcome", &RunSummary::outcome),
                 json_member("requests", &RunSummary::requests), json_member("settings", &RunSummary::settings));
};

}  // namespace kvantage

namespace kvantage::inline profiles {

namespace {

constexpr const char* run_format_name = "kvantage-run";
constexpr int plain_version = 1, notes_version = 2;  // without and with notes

// On one line of limited length: field paths contain keys from the file.
tl::unexpected<Error> reject(const std::string& name, const std::string& reason) {
  constexpr std::size_t longest = 1000;
  const bool plain = std::ranges::none_of(reason, [](unsigned char letter) { return letter < 0x20 || letter == 0x7f; });
  if (plain && reason.size() <= longest) return fail(ErrorCode::rejected_input, name + ": " + reason);
  return fail(ErrorCode::rejected_input, name + ": " + printable(reason) + "; correct it, or export the run again");
}

// the callback costs more than a line
constexpr std::size_t asked_every = 256;

tl::unexpected<Error> given_up(const std::string& name) {
  return fail(ErrorCode::cancelled, name + ": canceled; start it again");
}

/// A field's error, prefixed with the line.
Status of_line(const std::string& line_name, const Status& read) {
  return read ? Status() : Status(reject(line_name, read.error().message));
}

// Plausible user input: no duplicate and no empty tags.
Status check_notes(const RunNotes& notes, const std::string& name) {
  if (notes == RunNotes{})
    return reject(name, "notes are of version " + std::to_string(notes_version) + " and empty; export the run again");
  std::set<std::string_view> seen;
  for (const std::string& tag : notes.tags)
    if (tag.empty() || tag.find(',') != std::string::npos || !seen.insert(tag).second)
      return reject(
          name, "notes: tag '" + printable(tag) + "' is empty, holds a comma or appears twice; export the run again");
  return {};
}

Status read_first_line(const Json& json, RunFile& file, const std::string& name) {
  if (!json.is_object() || json.value("format", Json()) != run_format_name)
    return reject(name, "is not a recorded run (its first line has no \"format\":\"" + std::string(run_format_name) +
                            "\"); give a file made by 'runs export'");
  KV_ASSIGN(const auto version, json_field<int>(json, "version", name));
  if (version != plain_version && version != notes_version)
    return reject(name, "has version " + std::to_string(version) + ", supported are " + std::to_string(plain_version) +
                            " and " + std::to_string(notes_version) + "; use the program that wrote it");
  if (version == plain_version)
    KV_TRY(refuse_unknown_fields(json, {"format", "version", "run"}, name));
  else
    KV_TRY(refuse_unknown_fields(json, {"format", "version", "run", "notes"}, name));
  KV_ASSIGN(const auto run, json_value(json, "run", name));
  KV_TRY(of_line(name, json_into(*run, file.summary, "run")));
  if (file.summary.run_id.empty() || !file.summary.settings.is_object())
    return reject(name, "its run has no id or no settings; give a file made by 'runs export'");
  KV_TRY(check_name(file.summary.run_id, name + ": run_id"));
  if (Json& settings = file.summary.settings; settings.contains("environment") && settings["environment"].is_object())
    if (Json& environment = settings["environment"]; environment.contains("workload")) {
      if (!environment["workload"].is_string())
        return reject(name, "the workload of its run is not a name; correct it");
      KV_TRY(check_name(environment["workload"].get<std::string>(), name + ": workload"));
    }
  if (version == plain_version) return {};
  KV_ASSIGN(const auto notes, json_value(json, "notes", name));
  KV_TRY(of_line(name, json_into(*notes, file.notes, "notes")));
  return check_notes(file.notes, name);
}

// Checks the number of events and the digest.
Status check_end(const Json& json, const Digest128& before, std::size_t events, const std::string& name) {
  KV_TRY(refuse_unknown_fields(json, {"events", "digest"}, name));
  KV_ASSIGN(const auto count, json_field<std::size_t>(json, "events", name));
  KV_ASSIGN(const auto digest, json_field<std::string>(json, "digest", name));
  if (count != events)
    return reject(name, "names " + std::to_string(count) + " events, but there are " + std::to_string(events) +
                            "; export the run again");
  if (digest != before.hex())
    return reject(name, "its digest does not match the content: the file was changed; export the run again");
  return {};
}

}  // namespace

std::string run_to_text(const RunFile& file) { return run_to_text(file, {}).value_or(std::string()); }

Expected<std::string> run_to_text(const RunFile& file, const ShouldContinue& should_continue) {
  const bool noted = file.notes != RunNotes{};
  Json first{{"format", run_format_name},
             {"version", noted ? notes_version : plain_version},
             {"run", json_from(file.summary)}};
  if (noted) first["notes"] = json_from(file.notes);
  std::string text = dump_json(first) + "\n";
  for (std::size_t i = 0; i < file.events.size(); ++i) {
    if (should_continue && i % asked_every == 0 && !should_continue(i, file.events.size()))
      return given_up("run '" + file.summary.run_id + "'");
    text += dump_json(to_json(file.events[i])) + "\n";
  }
  return text + dump_json(Json{{"digest", digest_of(text).hex()}, {"events", file.events.size()}}) + "\n";
}

std::string RunLines::line_name() const { return name_ + ": line " + std::to_string(number_); }

Expected<std::optional<Event>> RunLines::take(std::string_view line) {
  ++number_;
  const std::string where = line_name();
  KV_ASSIGN(const auto json, parse_json(line, where));
  std::optional<Event> taken;
  if (number_ == 1) {
    KV_TRY(read_first_line(json, head_, where));
  } else if (json.is_object() && json.contains("digest")) {
    KV_TRY(check_end(json, before_.finish(), events_, where));
    is_complete_ = true;
  } else {
    auto event = json.is_object() ? event_from_json(json)
                                  : Expected<Event>(reject("event", "is not an object; export the run again"));
    if (!event) return reject(where, event.error().message);
    if (events_ > 0 && event->sequence != last_sequence_ + 1)
      return reject(where, "event " + std::to_string(event->sequence) + " follows " + std::to_string(last_sequence_) +
                               "; export the run again");
    last_sequence_ = event->sequence;
    ++events_;
    taken = std::move(*event);
  }
  before_.add_raw(line).add_raw("\n");
  return taken;
}

tl::unexpected<Error> RunLines::has_no_end() const {
  return reject(name_ + ": line " + std::to_string(number_ + 1), "has no end: the file was cut; export the run again");
}

tl::unexpected<Error> RunLines::more_follows() const {
  return reject(line_name(), "is the last of a run, but more follows; write one run per file");
}

tl::unexpected<Error> RunLines::ends_early() const {
  return reject(name_, (number_ == 0 ? std::string("is empty") : "ends without its last line: it was cut") +
                           "; export the run again");
}

Expected<RunFile> run_from_text(const std::string& text, const std::string& name,
                                const ShouldContinue& should_continue) {
  RunLines lines(name);
  std::vector<Event> events;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    if (should_continue && number++ % asked_every == 0 && !should_continue(begin, text.size())) return given_up(name);
    if (lines.is_complete()) return lines.more_follows();
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) return lines.has_no_end();
    KV_ASSIGN(auto event, lines.take(std::string_view(text).substr(begin, end - begin)));
    if (event) events.push_back(std::move(*event));
    begin = end + 1;
  }
  if (!lines.is_complete()) return lines.ends_early();
  RunFile file = lines.take_head();
  file.events = std::move(events);
  return file;
}

Expected<RunFile> read_run_file(const std::filesystem::path& path, const TakeEvent& take,
                                const ShouldContinue& should_continue) {
  constexpr std::size_t events_between = 64;
  KV_ASSIGN(auto text, FileLines::open(path, max_run_file_bytes));
  RunLines lines(path.string());
  const auto continues = [&](std::uint64_t done) {
    return !should_continue || should_continue(std::min(done, text.file_bytes()), text.file_bytes());
  };
  for (std::size_t number = 0;; ++number) {
    if (number % events_between == 0 && !continues(text.read_bytes())) return given_up(path.string());
    KV_ASSIGN(const auto line, text.next());
    if (!line) break;
    if (lines.is_complete()) return lines.more_follows();
    if (!text.is_ended()) return lines.has_no_end();
    KV_ASSIGN(auto event, lines.take(*line));
    if (event) KV_TRY(take(lines.head(), std::move(*event)));
  }
  if (!lines.is_complete()) return lines.ends_early();
  if (!continues(text.file_bytes())) return given_up(path.string());
  return lines.take_head();
}

Status check_run_file(const std::filesystem::path& path) {
  KV_ASSIGN(auto text, FileLines::open(path, max_run_file_bytes));
  RunLines lines(path.string());
  KV_ASSIGN(const auto line, text.next());
  if (!line) return lines.ends_early();
  if (!text.is_ended()) return lines.has_no_end();
  KV_TRY(lines.take(*line));
  return {};
}

Status export_run(RunStore& store, const std::string& run_id, const std::filesystem::path& path,
                  const ShouldContinue& should_continue, const ReadEvents& read) {
  auto summary = store.run(run_id);
  if (!summary && summary.error().code == ErrorCode::not_found)
    return fail(ErrorCode::not_found, "run '" + run_id + "': is not recorded there; choose another run");
  if (!summary) return tl::unexpected(std::move(summary).error());
  if (summary->finished_utc_ns == 0)
    return fail(
        ErrorCode::rejected_input,
        "run '" + run_id + "': has no recorded end (it is still running, or was killed); choose one that ended");
  // Nobody could import it, and a database may come from anybody.
  KV_TRY(check_name(run_id, "run '" + printable(run_id) + "'"));
  KV_ASSIGN(auto events, read ? read() : store.events(run_id));
  KV_ASSIGN(const auto notes, store.load_result(run_id, notes_result_name));
  RunFile file{std::move(*summary), std::move(events)};
  if (notes) KV_TRY(json_into(*notes, file.notes, "run " + run_id + ": notes"));
  KV_ASSIGN(const auto text, run_to_text(file, should_continue));
  if (should_continue && !should_continue(file.events.size(), file.events.size()))
    return given_up("run '" + run_id + "'");
  return write_text_file(path, text);
}

}  // namespace kvantage::inline profiles
