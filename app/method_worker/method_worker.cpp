#include "app/method_worker/method_worker.h"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstring>
#include <thread>
#include <utility>

#include "app/method_worker/torch_archive.h"
#include "core/base/digest.h"
#include "core/base/files.h"
#include "core/base/machine_memory.h"
#include "core/base/shown_text.h"
#include "core/base/units.h"

namespace kvantage::inline method_worker {
namespace {

constexpr int max_ends_in_a_row = 3;
constexpr int default_cadence = 32, max_cadence = 65536;
constexpr std::size_t max_file_name_bytes = 60, max_reason_bytes = 220;

std::size_t aligned(std::size_t bytes) { return (bytes + wire_alignment - 1) / wire_alignment * wire_alignment; }

/// A text of the file as it may be shown anywhere: one line, and nothing that a view takes for markup.
std::string plain_text(const char* text, std::size_t max_bytes) {
  std::string plain = shortened(shown_line(text), max_bytes);
  std::erase_if(plain, [](char c) { return c == '<' || c == '>' || c == '&'; });
  return plain;
}

/// "my-method v2" -> "my_method_v2".
std::string alias_of(const std::string& text) {
  std::string alias;
  alias.reserve(text.size());
  for (const char c : text) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool is_letter = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    alias += !is_letter ? '_' : upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return alias;
}

/// Every number of a reply is checked: it comes from where strangers' code runs.
Expected<ScorerFileNeeds> needs_of(const WireNeeds& wire) {
  ScorerFileNeeds needs;
  for (std::size_t i = 0; i < needs.reads.size(); ++i) needs.reads[i] = ((wire.reads >> i) & 1U) != 0;
  const bool of_queries = needs.of(ScorerInput::queries) || needs.of(ScorerInput::attention);
  const bool valid = wire.reads != 0 && (wire.reads >> needs.reads.size()) == 0 && wire.window_queries >= 0 &&
                     (wire.window_queries > 0) == of_queries && wire.decode_eviction <= 1 && wire.cadence >= 0 &&
                     wire.cadence <= max_cadence;
  if (!valid) return fail(ErrorCode::rejected_input, "declares what no scorer can");
  needs.window_queries = wire.window_queries;
  needs.decode_eviction = wire.decode_eviction == 1;
  needs.cadence = wire.cadence > 0 ? wire.cadence : default_cadence;
  return needs;
}

/// The first that is not finite.
Status check_finite(std::span<const float> scores, int tokens) {
  const auto found = std::ranges::find_if(scores, [](float score) { return !std::isfinite(score); });
  if (found == scores.end()) return {};
  const auto at = static_cast<std::size_t>(found - scores.begin()), row = static_cast<std::size_t>(tokens);
  return fail(ErrorCode::rejected_input, std::string(std::isnan(*found) ? "returned NaN" : "returned infinity") +
                                             " for token " + std::to_string(at % row) + " of KV head " +
                                             std::to_string(at / row) + "; return finite scores");
}

}  // namespace

MethodWorker::MethodWorker(std::string file_name, std::string bytes, MethodWorkerSettings settings)
    : file_name_(std::move(file_name)), bytes_(std::move(bytes)), settings_(std::move(settings)) {
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  max_threads_ = std::max({1, cores, settings_.threads()});
}

Expected<std::shared_ptr<MethodWorker>> MethodWorker::open(const std::filesystem::path& file,
                                                           const MethodWorkerSettings& settings) {
  KV_ASSIGN(auto bytes, read_text_file(file, max_method_file_bytes));
  const std::string name = plain_text(file.filename().c_str(), max_file_name_bytes);
  const auto refused = [&name](const Error& error) {
    return fail(error.code, "method file '" + name + "': " + error.message);
  };
  if (const Status fits = check_torch_archive(bytes, max_method_file_bytes); !fits) return refused(fits.error());
  std::shared_ptr<MethodWorker> worker(new MethodWorker(name, std::move(bytes), settings));
  ScorerFileFacts& facts = worker->facts_;
  facts.digest = digest_of(worker->bytes_).hex();
  const std::scoped_lock lock(worker->mutex_);
  if (const Status started = worker->start(); !started) return refused(started.error());
  if (facts.alias.empty()) facts.alias = alias_of(file.stem().string());
  facts.name = scorer_file_name(facts.alias, facts.digest);
  if (facts.summary.empty()) facts.summary = "scorer of the file " + name;
  if (facts.source.empty()) facts.source = name;
  return worker;
}

std::optional<pid_t> MethodWorker::process() const {
  const std::scoped_lock lock(mutex_);
  return process_ && process_->running() ? std::optional(process_->pid()) : std::nullopt;
}

WorkerRequest MethodWorker::request(WorkerTask task) const {
  WorkerRequest request;
  request.task = task;
  request.threads = static_cast<std::uint32_t>(std::clamp(settings_.threads(), 1, max_threads_));
  request.memory_bytes = memory_.bytes().size();
  return request;
}

/// Starts a process and loads the file in it; its first time gives the facts.
Status MethodWorker::start() {
  KV_TRY(memory_.grow(bytes_.size()));
  const std::uint64_t known = machine_memory_bytes(), memory = known > 0 ? known : settings_.memory_bytes;
  KV_ASSIGN(auto started,
            WorkerProcess::start(settings_.program, memory_.file(),
                                 {.threads = max_threads_, .memory_bytes = std::min(settings_.memory_bytes, memory)}));
  process_ = std::move(started);
  const auto ready = process_->receive(settings_.load_seconds);
  if (!ready) {
    note_end(ready.error());
    return fail(ErrorCode::io, settings_.program.filename().string() + " " + ready.error().message +
                                   " before it loaded the file; build it again, or name it in KVANTAGE_METHOD_WORKER");
  }
  if (ready->answer != WorkerAnswer::ready || (ready->confined == 0 && !settings_.allow_unconfined)) {
    process_.reset();
    return fail(ErrorCode::rejected_input,
                "this system cannot keep it from files and network (" +
                    plain_text(ready->reason.data(), max_reason_bytes) +
                    "), so it is not run; set KVANTAGE_UNCONFINED_METHODS=1 to run it all the same");
  }
  facts_.confined = ready->confined == 1;
  return load(facts_);
}

Status MethodWorker::load(ScorerFileFacts& facts) {
  std::memcpy(memory_.bytes().data(), bytes_.data(), bytes_.size());
  WorkerRequest wanted = request(WorkerTask::load);
  wanted.file_bytes = bytes_.size();
  KV_ASSIGN(const WorkerReply reply, ask(wanted, settings_.load_seconds));
  KV_ASSIGN(const ScorerFileNeeds needs, needs_of(reply.needs));
  if (!facts.name.empty()) return {};  // a restart: the same bytes declare the same
  facts.needs = needs;
  facts.alias = plain_text(reply.name.data(), reply.name.size());
  facts.summary = plain_text(reply.summary.data(), reply.summary.size());
  facts.source = plain_text(reply.source.data(), reply.source.size());
  return {};
}

/// Of a process that is no more. One that took too long is not started again: whoever asks waits for it each time.
void MethodWorker::note_end(const Error& error) {
  const bool late = process_->took_too_long();
  process_.reset();
  ++ends_in_a_row_;
  if (late)
    given_up_ = error.message;
  else if (ends_in_a_row_ >= max_ends_in_a_row)
    given_up_ = error.message + " " + std::to_string(ends_in_a_row_) + " times";
}

/// Error: what the worker says is wrong, or how it ended.
Expected<WorkerReply> MethodWorker::ask(const WorkerRequest& request, double seconds) {
  auto reply = process_->ask(request, seconds);
  if (!reply) {
    note_end(reply.error());
    return reply;
  }
  if (reply->answer == WorkerAnswer::done) return reply;
  return fail(ErrorCode::rejected_input, plain_text(reply->reason.data(), max_reason_bytes));
}

Status MethodWorker::score(const ScorerCall& call, std::span<float> scores) {
  const std::scoped_lock lock(mutex_);
  const auto named = [&](const std::string& reason) {
    return fail(ErrorCode::rejected_input,
                "method '" + facts_.name + "': layer " + std::to_string(call.layer) + ": " + reason);
  };
  const auto failed = [&](const Error& error) {
    return named(given_up_.empty() ? error.message : given_up_ + ", so it is not run again; load it again");
  };
  if (!given_up_.empty()) return failed({});
  if (!process_)
    if (const Status started = start(); !started) return failed(started.error());
  if (const Status scored = score_layer(call, scores); !scored) return failed(scored.error());
  ends_in_a_row_ = 0;
  return {};
}

Status MethodWorker::score_layer(const ScorerCall& call, std::span<float> scores) {
  std::size_t end = 0;
  std::vector<std::size_t> offsets;
  offsets.reserve(call.inputs.size());
  for (const ScorerTensor& input : call.inputs) {
    offsets.push_back(end);
    end = aligned(end + input.bytes());
  }
  const std::size_t scores_offset = end;
  end += scores.size_bytes();
  if (call.inputs.size() > wire_inputs || end > settings_.memory_bytes / 2)
    return fail(ErrorCode::rejected_input, "its inputs take " + format_bytes(end) + ", and at most " +
                                               format_bytes(settings_.memory_bytes / 2) +
                                               " are shared; use a shorter context");
  KV_TRY(memory_.grow(end));
  WorkerRequest wanted = request(WorkerTask::score);
  wanted.layer = call.layer;
  wanted.sequence_length = call.sequence_length;
  wanted.kv_heads = call.kv_heads;
  wanted.tokens = call.tokens;
  wanted.scores_offset = scores_offset;
  wanted.inputs = static_cast<std::uint32_t>(call.inputs.size());
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const ScorerTensor& input = call.inputs[i];
    WireTensor& wire = wanted.tensors[i];
    wire.input = static_cast<std::uint32_t>(input.input);
    wire.rank = static_cast<std::uint32_t>(std::min(input.shape.size(), wire_rank));
    std::copy_n(input.shape.begin(), wire.rank, wire.shape.begin());
    wire.offset = offsets[i];
    call.write(i, memory_.bytes().subspan(offsets[i], input.bytes()));
  }
  KV_TRY(ask(wanted, settings_.score_seconds));
  // A copy first: the worker could change what has been checked.
  std::memcpy(scores.data(), memory_.bytes().data() + scores_offset, scores.size_bytes());
  return check_finite(scores, call.tokens);
}

}  // namespace kvantage::inline method_worker
