#include "profiles/run_file.h"

#include <algorithm>
#include <cstddef>

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
  for (std::size_t i = 0; i < notes.tags.size(); ++i) {
    const std::string& tag = notes.tags[i];
    if (tag.empty() || tag.find(',') != std::string::npos ||
        std::find(notes.tags.begin(), notes.tags.begin() + static_cast<std::ptrdiff_t>(i), tag) !=
            notes.tags.begin() + static_cast<std::ptrdiff_t>(i))
      return reject(
          name, "notes: tag '" + printable(tag) + "' is empty, holds a comma or appears twice; export the run again");
  }
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
  KV_ASSIGN(const auto run, json_field<Json>(json, "run", name));
  KV_TRY(of_line(name, json_into(run, file.summary, "run")));
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
  KV_ASSIGN(const auto notes, json_field<Json>(json, "notes", name));
  KV_TRY(of_line(name, json_into(notes, file.notes, "notes")));
  return check_notes(file.notes, name);
}

// Checks the number of events and the digest.
Status check_end(const Json& json, std::string_view before, std::size_t events, const std::string& name) {
  KV_TRY(refuse_unknown_fields(json, {"events", "digest"}, name));
  KV_ASSIGN(const auto count, json_field<std::size_t>(json, "events", name));
  KV_ASSIGN(const auto digest, json_field<std::string>(json, "digest", name));
  if (count != events)
    return reject(name, "names " + std::to_string(count) + " events, but there are " + std::to_string(events) +
                            "; export the run again");
  if (digest != digest_of(before).hex())
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

Expected<RunFile> run_from_text(const std::string& text, const std::string& name,
                                const ShouldContinue& should_continue) {
  RunFile file;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    if (should_continue && number % asked_every == 0 && !should_continue(begin, text.size())) return given_up(name);
    const std::string line_name = name + ": line " + std::to_string(++number);
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) return reject(line_name, "has no end: the file was cut; export the run again");
    const std::string_view line(text.data() + begin, end - begin);
    KV_ASSIGN(const auto json, parse_json(line, line_name));
    if (number == 1) {
      KV_TRY(read_first_line(json, file, line_name));
    } else if (json.is_object() && json.contains("digest")) {
      KV_TRY(check_end(json, std::string_view(text).substr(0, begin), file.events.size(), line_name));
      if (end + 1 != text.size())
        return reject(line_name, "is the last of a run, but more follows; write one run per file");
      return file;
    } else {
      auto event = json.is_object() ? event_from_json(json)
                                    : Expected<Event>(reject("event", "is not an object; export the run again"));
      if (!event) return reject(line_name, event.error().message);
      if (!file.events.empty() && event->sequence != file.events.back().sequence + 1)
        return reject(line_name, "event " + std::to_string(event->sequence) + " follows " +
                                     std::to_string(file.events.back().sequence) + "; export the run again");
      file.events.push_back(std::move(*event));
    }
    begin = end + 1;
  }
  return reject(name, (number == 0 ? std::string("is empty") : "ends without its last line: it was cut") +
                          "; export the run again");
}

Status export_run(RunStore& store, const std::string& run_id, const std::filesystem::path& path,
                  const ShouldContinue& should_continue, const ReadEvents& read) {
  KV_ASSIGN(const auto runs, store.runs());
  const auto found = std::ranges::find(runs, run_id, &RunSummary::run_id);
  if (found == runs.end())
    return fail(ErrorCode::not_found, "run '" + run_id + "': is not recorded there; choose another run");
  if (found->finished_utc_ns == 0)
    return fail(
        ErrorCode::rejected_input,
        "run '" + run_id + "': has no recorded end (it is still running, or was killed); choose one that ended");
  // Nobody could import it, and a database may come from anybody.
  KV_TRY(check_name(run_id, "run '" + printable(run_id) + "'"));
  KV_ASSIGN(auto events, read ? read() : store.events(run_id));
  KV_ASSIGN(const auto notes, store.load_result(run_id, notes_result_name));
  RunFile file{*found, std::move(events)};
  if (notes) KV_TRY(json_into(*notes, file.notes, "run " + run_id + ": notes"));
  KV_ASSIGN(const auto text, run_to_text(file, should_continue));
  if (should_continue && !should_continue(file.events.size(), file.events.size()))
    return given_up("run '" + run_id + "'");
  return write_text_file(path, text);
}

}  // namespace kvantage::inline profiles
