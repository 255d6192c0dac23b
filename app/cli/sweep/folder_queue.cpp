#include "app/cli/sweep/folder_queue.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>

#include "app/cli/sweep/publish_once.h"
#include "app/cli/sweep/renewing_lease.h"
#include "core/base/files.h"
#include "core/base/folders.h"
#include "core/base/json_fields.h"
#include "core/base/names.h"
#include "core/base/unique_fd.h"
#include "core/report/window_command.h"

namespace kvantage::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t max_claim_bytes = 4096, max_result_bytes = std::uint64_t{1} << 20;
constexpr std::string_view free_claim = "free\n";

/// Always as long for a worker, so that it is overwritten in place.
std::string held_claim(std::uint64_t count, const std::string& worker) {
  std::array<char, 32> number{};
  std::snprintf(number.data(), number.size(), "%020llu", static_cast<unsigned long long>(count));
  return "held " + std::string(number.data()) + " " + worker + "\n";
}

std::string worker_of(const std::string& claim) {
  constexpr std::size_t before = 5 + 20 + 1;  // "held ", the number, a space
  std::string worker = claim.size() > before ? claim.substr(before) : std::string();
  while (!worker.empty() && worker.back() == '\n') worker.pop_back();
  return worker.empty() ? "a worker" : printable(worker);
}

/// Opened each time: clients of NFS write and look up then.
bool overwrite_claim(const fs::path& file, std::string_view text) {
  const UniqueFd claim(::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  return claim && ::pwrite(claim.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()) &&
         ::ftruncate(claim.get(), static_cast<off_t>(text.size())) == 0;
}

/// {"0123456789abcdef", 2} of "0123456789abcdef.2"; nothing for another name.
std::optional<std::pair<std::string, int>> numbered(const fs::path& entry) {
  const std::string name = entry.filename().string();
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return {};
  int number = 0;
  const char* end = name.data() + name.size();
  const auto [at, error] = std::from_chars(name.data() + dot + 1, end, number);
  if (error != std::errc() || at != end || number < 1) return {};
  return std::pair(name.substr(0, dot), number);
}

Expected<std::vector<fs::path>> queue_entries(const fs::path& folder) {
  std::error_code code;
  auto entries = entries_of(folder, code);
  if (code)
    return fail(ErrorCode::rejected_input,
                folder.string() + ": cannot be read (" + code.message() + "); its owner makes it again with --resume");
  return entries;
}

Status remove_queue_file(const fs::path& file) {
  std::error_code code;
  fs::remove(file, code);
  if (code)
    return fail(code_of_path_error(code.value()),
                file.string() + ": cannot be removed (" + code.message() + "); check the folder's permissions");
  return {};
}

}  // namespace

FolderQueue::FolderQueue(const fs::path& out, std::shared_ptr<const Clock> clock)
    : out_(absolute_or_given(out)), clock_(std::move(clock)) {
  if (!out_.has_filename()) out_ = out_.parent_path();  // "results/"
  folder_ = out_ / "queue";
}

bool FolderQueue::has_claims() const {
  std::error_code ignored;
  return !entries_of(folder_ / "claims", ignored).empty();
}

SweepPlace FolderQueue::place() const {
  return {.sweep = "sweep '" + printable(out_.filename().string()) + "'",
          .where = "in " + out_.string(),
          .another = "--out",
          .lost = "its folder queue was removed",
          .worker_words = "--workers folder --out " + shell_word(out_.string())};
}

Expected<bool> FolderQueue::exists() {
  std::error_code ignored;
  return fs::exists(folder_ / "plan.json", ignored);
}

Status FolderQueue::publish(const SweepPlan& plan, const std::set<std::string>& held) {
  for (const char* name : {"claims", "results", "runs", "failures"}) KV_TRY(make_writable_folder(folder_ / name));
  const CellIds ids(plan);
  for (const SweepCell& cell : plan.cells)
    if (const std::string id = ids.of(cell); held.contains(id))
      KV_TRY(publish_once(result_file(id), "{\"held\":true}\n"));
  return write_text_file(folder_ / "plan.json", dump_json(to_json(plan), 1) + "\n");  // last: workers wait for it
}

Status FolderQueue::forget_failures(const std::set<std::string>& held) {
  KV_ASSIGN(const bool there, exists());
  if (!there) return {};
  KV_ASSIGN(const auto forgotten, forgettable(held));
  for (const char* name : {"failures", "claims"}) {
    KV_ASSIGN(const auto entries, queue_entries(folder_ / name));
    for (const fs::path& entry : entries)
      if (const auto of = numbered(entry); of && forgotten.contains(of->first)) KV_TRY(remove_queue_file(entry));
  }
  for (const std::string& id : forgotten)
    KV_TRY(remove_queue_file(result_file(id)));  // last: without it a cell is taken again
  return {};
}

Expected<std::map<std::string, std::vector<std::string>>> FolderQueue::failures() {
  KV_ASSIGN(auto entries, queue_entries(folder_ / "failures"));
  std::map<std::string, std::map<int, std::string>> told;
  for (const fs::path& entry : entries) {
    const auto of = numbered(entry);
    if (!of) continue;
    KV_ASSIGN(auto text, read_text_file(entry, max_result_bytes));
    while (!text.empty() && text.back() == '\n') text.pop_back();
    told[of->first][of->second] = std::move(text);
  }
  std::map<std::string, std::vector<std::string>> all;
  for (auto& [id, attempts] : told)
    for (auto& [number, text] : attempts) all[id].push_back(std::move(text));
  return all;
}

Expected<std::optional<fs::path>> FolderQueue::run_file(const std::string& id) {
  KV_ASSIGN(const auto found, result(id));
  if (!found || !found->is_object() || !found->contains("run_id")) return std::optional<fs::path>();
  KV_ASSIGN(const auto run, json_field<std::string>(*found, "run_id", "result of cell " + id));
  KV_TRY(check_name(run, "result of cell " + id + ": run_id"));  // it becomes a path
  return std::optional(folder_ / "runs" / (run + ".run"));
}

Expected<std::optional<std::string>> FolderQueue::run_of(const std::string& id) {
  KV_ASSIGN(const auto file, run_file(id));
  std::error_code ignored;
  if (!file || !fs::exists(*file, ignored)) return std::optional<std::string>();
  KV_ASSIGN(auto text, read_text_file(*file));
  return std::optional(std::move(text));
}

Status FolderQueue::forget_run(const std::string& id) {
  KV_ASSIGN(const auto file, run_file(id));
  return file ? remove_queue_file(*file) : Status();
}

Expected<std::set<std::string>> FolderQueue::finished() {
  KV_ASSIGN(const auto entries, queue_entries(folder_ / "results"));
  std::set<std::string> ids;
  for (const fs::path& entry : entries)
    if (entry.extension() == ".json") ids.insert(entry.stem().string());
  return ids;
}

Expected<std::optional<Json>> FolderQueue::result(const std::string& id) {
  std::error_code ignored;
  if (!fs::exists(result_file(id), ignored)) return std::optional<Json>();
  KV_ASSIGN(const auto text, read_text_file(result_file(id), max_result_bytes));
  KV_ASSIGN(auto json, parse_json(text, result_file(id).string()));
  return std::optional(std::move(json));
}

Expected<std::optional<SweepPlan>> FolderQueue::plan() {
  KV_ASSIGN(const bool there, exists());
  if (!there) return std::optional<SweepPlan>();
  const fs::path file = folder_ / "plan.json";
  KV_ASSIGN(const auto json, read_json_file(file));
  KV_ASSIGN(auto plan, sweep_plan_from_json(json, file.string()));
  return std::optional(std::move(plan));
}

Expected<std::map<std::string, int>> FolderQueue::claims() const {
  KV_ASSIGN(const auto entries, queue_entries(folder_ / "claims"));
  std::map<std::string, int> newest;
  for (const fs::path& entry : entries)
    if (const auto of = numbered(entry)) newest[of->first] = std::max(newest[of->first], of->second);
  return newest;
}

bool FolderQueue::is_left(const std::string& id, int number, const std::string& text, double lease_seconds) {
  Seen& seen = seen_[id];
  const std::int64_t now_ns = clock_->monotonic_ns();
  if (seen.number != number || seen.text != text) seen = {number, text, now_ns};
  return static_cast<double>(now_ns - seen.since_ns) >= lease_seconds * 1e9;  // exact: a difference of seconds is not
}

Expected<std::optional<SweepQueue::Taken>> FolderQueue::take(const std::string& worker, double lease_seconds) {
  if (cells_.empty()) {
    KV_ASSIGN(const auto published, plan());
    if (!published) return fail(ErrorCode::rejected_input, "no sweep is " + place().where + "; start one with --out");
    const CellIds ids(*published);
    cells_.reserve(published->cells.size());
    for (const SweepCell& cell : published->cells) cells_.emplace_back(ids.of(cell), cell);
  }
  KV_ASSIGN(const auto done, finished());
  KV_ASSIGN(const auto newest, claims());
  for (const auto& [id, cell] : cells_) {
    if (done.contains(id)) continue;
    const auto at = newest.find(id);
    KV_ASSIGN(auto taken, claim(id, cell, at == newest.end() ? 0 : at->second, worker, lease_seconds));
    if (taken) return taken;
  }
  return std::optional<Taken>();
}

Expected<std::optional<SweepQueue::Taken>> FolderQueue::claim(const std::string& id, const SweepCell& cell, int number,
                                                              const std::string& worker, double lease_seconds) {
  const auto nothing = std::optional<Taken>();
  const auto file_of = [&](int of) { return folder_ / "claims" / (id + "." + std::to_string(of)); };
  std::string former;  // the claim of a worker that is gone
  if (number > 0) {
    const auto text = read_text_file(file_of(number), max_claim_bytes);
    if (!text) return nothing;  // its owner has just forgotten it
    if (!text->starts_with(free_claim)) {
      if (!is_left(id, number, *text, lease_seconds)) return nothing;
      former = *text;
    }
  }
  const fs::path file = file_of(number + 1);
  const UniqueFd made(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!made && errno == EEXIST) return nothing;  // another one was faster
  const std::string text = held_claim(0, worker);
  if (!made || ::write(made.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    return fail(code_of_path_error(errno), file.string() + ": cannot be written; check the folder and its space");
  if (!former.empty()) {
    KV_ASSIGN(const int attempt, add_failure(id, cell, worker_of(former),
                                             "it ended, or did not renew its claim, while it served the cell"));
    if (attempt >= max_attempts) return nothing;
  }
  // Who had it before may have finished meanwhile.
  KV_ASSIGN(const bool known, has_result(id));
  if (known) return nothing;
  return std::optional(Taken{file.filename().string(), id, cell, !former.empty()});
}

Expected<bool> FolderQueue::has_result(const std::string& id) {
  std::error_code ignored;
  return fs::exists(result_file(id), ignored);
}

Expected<bool> FolderQueue::finish(const Taken& taken, const Json& result, const std::string& run_text) {
  if (!result.is_object()) return false;  // of a cell that had one already
  // The run first: a result is never visible without it. Runs have names of their own, so nobody else's is replaced.
  fs::path run;
  if (!run_text.empty()) {
    KV_ASSIGN(const auto name, json_field<std::string>(result, "run_id", "result of cell " + taken.id));
    KV_TRY(check_name(name, "result of cell " + taken.id + ": run_id"));
    run = folder_ / "runs" / (name + ".run");
    KV_TRY(write_text_file(run, run_text));
  }
  KV_ASSIGN(const bool first, publish_once(result_file(taken.id), dump_json(result, 1) + "\n"));
  if (!first && !run.empty()) KV_TRY(remove_queue_file(run));
  return first;
}

Expected<int> FolderQueue::add_failure(const std::string& id, const SweepCell& cell, const std::string& worker,
                                       const std::string& why) {
  const std::string line = failure_line(worker, why) + "\n";
  for (int attempt = 1;; ++attempt) {
    KV_ASSIGN(const bool added, publish_once(folder_ / "failures" / (id + "." + std::to_string(attempt)), line));
    if (!added && attempt < max_attempts) continue;
    if (attempt >= max_attempts)
      KV_TRY(publish_once(result_file(id), dump_json(failure_of(cell, worker, why), 1) + "\n"));
    return attempt;
  }
}

Status FolderQueue::hand_back(const Taken& taken, const std::string& worker, const std::string& why) {
  KV_ASSIGN(const bool known, has_result(taken.id));
  if (known) return {};
  KV_TRY(add_failure(taken.id, taken.cell, worker, why));
  return {};
}

std::unique_ptr<SweepLease> FolderQueue::renewing(const std::string& worker, const Taken& taken, double lease_seconds) {
  const fs::path file = folder_ / "claims" / taken.message;
  auto count = std::make_shared<std::uint64_t>(0);
  // A folder that is away for a moment is tried again; if it stays away, the cell goes to another worker.
  return std::make_unique<RenewingLease>(
      lease_seconds / 4,
      [file, worker, count] { static_cast<void>(overwrite_claim(file, held_claim(++*count, worker))); },
      [file] { static_cast<void>(overwrite_claim(file, free_claim)); });
}

}  // namespace kvantage::cli
