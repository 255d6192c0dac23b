#include "app/wiring/method_files.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "app/method_worker/method_worker.h"
#include "app/wiring/program_module.h"
#include "core/base/digest.h"
#include "core/base/files.h"
#include "core/base/folders.h"
#include "core/base/names.h"
#include "core/base/shown_text.h"
#include "core/compress/method_files.h"
#include "core/model/transformer.h"

namespace kvantage::inline wiring {
namespace {

constexpr std::size_t max_method_files = 16;
constexpr double session_layer_seconds = 5;  // requests wait while a profile step scores a layer
constexpr ProgramModule method_worker_program{"kvantage-method-worker", "KVANTAGE_METHOD_WORKER", "", ""};

struct OpenedMethodFiles {
  std::mutex mutex;
  std::vector<OpenedMethodFile> files;  // newest last
};
OpenedMethodFiles& opened_method_files() {
  static OpenedMethodFiles opened;
  return opened;
}

bool is_set_variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

enum class Trust { user, workload };

Expected<OpenedMethodFile> open_trusted(const std::filesystem::path& file, bool again, Trust trust,
                                        std::optional<double> layer_seconds = {}) {
  const std::filesystem::path path = absolute_or_given(file).lexically_normal();
  if (path.extension() == ".py")
    return fail(ErrorCode::usage, "method file '" + shortened(path.filename().string()) +
                                      "': is Python; run it first with python3, and give the TorchScript file (.pt) "
                                      "that it saves");
  KV_ASSIGN(const auto bytes, read_text_file(path, max_method_file_bytes));
  OpenedMethodFiles& opened = opened_method_files();
  const std::scoped_lock lock(opened.mutex);
  if (!again) {
    const std::string digest = digest_of(bytes).hex();
    const auto known = std::find_if(opened.files.rbegin(), opened.files.rend(), [&](const OpenedMethodFile& other) {
      return other.file == path && other.digest == digest;
    });
    if (known != opened.files.rend() && (known->confined || trust == Trust::user)) return *known;
  }
  const auto places = method_worker_places();
  const auto program = find_module(places);
  if (!program)
    return fail(ErrorCode::usage, "methods of files: there is no program " +
                                      (places.size() == 1 ? places.front().string()
                                                          : std::string(method_worker_program.file) + " next to this") +
                                      "; build it, or name it in " + method_worker_program.variable);
  MethodWorkerSettings settings;
  settings.program = *program;
  settings.threads = compute_threads;
  settings.score_seconds = layer_seconds.value_or(session_layer_seconds);
  settings.allow_unconfined = trust == Trust::user && is_set_variable("KVANTAGE_UNCONFINED_METHODS");
  KV_ASSIGN(const auto worker, MethodWorker::open(path, settings));
  const ScorerFileFacts& facts = worker->facts();
  if (const Status added = add_method_file(worker); !added)
    return fail(added.error().code,
                "method file '" + shortened(path.filename().string()) + "': " + added.error().message);
  OpenedMethodFile result{path, facts.name, facts.alias, facts.digest, facts.summary, facts.confined};
  std::erase_if(opened.files, [&](const OpenedMethodFile& other) { return other.name == result.name; });
  opened.files.push_back(result);
  return result;
}

bool is_unloaded(const std::string& form) { return !unloaded_file_method(form).empty(); }

}  // namespace

std::vector<std::filesystem::path> method_worker_places() { return module_places(method_worker_program); }

Expected<OpenedMethodFile> open_method_file(const std::filesystem::path& file, bool again,
                                            std::optional<double> layer_seconds) {
  return open_trusted(file, again, Trust::user, layer_seconds);
}

Status open_method_files_of(Json& session, const std::filesystem::path& folder,
                            const std::filesystem::path& session_file) {
  constexpr const char* key = "method_files";
  if (!session.is_object() || !session.contains(key)) return {};
  const Json files = std::move(session[key]);
  session.erase(key);
  const std::string where = session_file.string() + ": " + key;
  if (!files.is_array() || files.size() > max_method_files)
    return fail(ErrorCode::rejected_input, where + ": is no list of at most " + std::to_string(max_method_files) +
                                               " names of files beside it; write it like [\"my_method.pt\"]");
  for (const Json& name : files) {
    if (!name.is_string())
      return fail(ErrorCode::rejected_input, where +
                                                 ": holds something that is no name; write it like "
                                                 "[\"my_method.pt\"]");
    const auto text = name.get<std::string>();
    KV_TRY(check_name(text, where));  // no path: a workload names no files of this machine
    KV_TRY(open_trusted(folder / text, false, Trust::workload));
  }
  return {};
}

std::vector<std::string> method_files_named_in(const std::filesystem::path& session_file) {
  std::vector<std::string> names;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(session_file, ignored)) return names;
  const auto session = read_json_file(session_file);
  if (!session || !session->is_object() || !session->contains("method_files")) return names;
  for (const Json& name : session->at("method_files"))
    if (name.is_string() && check_name(name.get<std::string>(), {})) names.push_back(name.get<std::string>());
  return names;
}

Status copy_method_files(const std::filesystem::path& session_file, const std::filesystem::path& folder) {
  for (const std::string& name : method_files_named_in(session_file)) {
    const std::filesystem::path from = session_file.parent_path() / name, to = folder / name;
    std::error_code error;
    if (std::filesystem::equivalent(from, to, error)) continue;
    std::filesystem::copy_file(from, to, std::filesystem::copy_options::overwrite_existing, error);
    if (error)
      return fail(ErrorCode::rejected_input,
                  to.string() + ": cannot be written: " + error.message() + "; choose another folder");
  }
  return {};
}

std::string method_files_text(const SessionSettings& settings) {
  OpenedMethodFiles& opened = opened_method_files();
  const std::scoped_lock lock(opened.mutex);
  std::string text;
  for (const OpenedMethodFile& file : opened.files) {
    const auto names = [&](const std::string& form) { return form.find(file.name) != std::string::npos; };
    if (std::ranges::any_of(settings.methods, names) || names(settings.policy) || names(settings.decode_eviction) ||
        std::ranges::any_of(settings.decode_options, names))
      text += (text.empty() ? "" : ", ") + file.name + " (digest " + file.digest + ")";
  }
  return text;
}

SessionSettings without_unloaded_files(SessionSettings settings) {
  std::erase_if(settings.methods, is_unloaded);
  std::erase_if(settings.decode_options, is_unloaded);
  if (is_unloaded(settings.decode_eviction)) settings.decode_eviction = "none";
  if (is_unloaded(settings.policy)) settings.policy = SessionSettings{}.policy;
  return settings;
}

std::string unloaded_files_text(const SessionSettings& settings) {
  std::string left;
  for (const std::string& method : settings.methods)
    if (is_unloaded(method)) left += (left.empty() ? "" : ", ") + method;
  if (left.empty()) return left;
  return "the last session resumes without " + left + ", whose file is not loaded; drop it on the window again";
}

}  // namespace kvantage::inline wiring
