#include "app/method_worker/program/worker_loop.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/frontend/resolver.h>
#include <torch/csrc/jit/python/update_graph_executor_opt.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstring>
#include <future>
#include <optional>
#include <string_view>

#include "app/method_worker/program/confinement.h"
#include "app/method_worker/program/scorer_module.h"
#include "app/method_worker/protocol.h"

namespace kvantage::inline method_program {
namespace {

template <std::size_t size>
void put(std::array<char, size>& target, std::string_view text) {
  target.fill('\0');
  std::ranges::copy(text.substr(0, size - 1), target.begin());
}

/// The shared memory, mapped again when it has grown.
class WorkerMemory {
 public:
  /// Empty: it cannot be mapped.
  std::span<std::byte> of(std::size_t bytes) {
    if (bytes == size_) return {start_, size_};
    if (start_ != nullptr) ::munmap(start_, size_);
    void* const mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, worker_memory, 0);
    start_ = mapped == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapped);
    size_ = start_ == nullptr ? 0 : bytes;
    return {start_, size_};
  }

 private:
  std::byte* start_ = nullptr;
  std::size_t size_ = 0;
};

/// Freed tensors stay: each layer allocates the same sizes again, and fresh pages cost more than what fills them.
void keep_freed_memory() {
  constexpr int largest_threshold = 32 << 20;  // that glibc takes
  ::mallopt(M_MMAP_THRESHOLD, largest_threshold);
  ::mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

/// Starts every thread and lets libtorch read what it reads once: afterwards it can do neither.
void warm_up(int threads) {
  at::set_num_threads(threads);
  at::set_num_interop_threads(1);
  at::parallel_for(0, 4L * threads, 1, [](std::int64_t, std::int64_t) {});
  std::promise<void> launched;
  at::launch([&launched] { launched.set_value(); });
  launched.get_future().wait();
  torch::jit::getExecutorMode() = false;  // no code is made for shapes that the next layer has not
  torch::jit::setGraphExecutorOptimize(false);
  const at::Tensor numbers = at::randn({64, 64});
  for (const auto type : {at::kFloat, at::kBFloat16}) {
    const at::Tensor square = at::matmul(numbers.to(type), numbers.to(type));
    at::softmax(square, -1).sum();
  }
  at::linalg_vector_norm(numbers, 2, at::IntArrayRef{-1});
  at::avg_pool1d(numbers.unsqueeze(0), 5, 1, 2);
  at::conv1d(numbers.unsqueeze(0), at::ones({64, 64, 3}));
  at::topk(numbers, 8);
  at::sort(numbers);
  at::linalg_svdvals(numbers);
  at::linalg_solve(numbers, numbers);
  torch::jit::CompilationUnit unit;
  unit.define(std::nullopt, "def warm(x):\n  return x + 1\n", torch::jit::nativeResolver(), nullptr);
  unit.get_function("warm")({numbers});
}

class WorkerSession {
 public:
  WorkerReply answer(const WorkerRequest& request) {
    WorkerReply reply;
    const Status status = serve(request, reply);
    reply.answer = status ? WorkerAnswer::done : WorkerAnswer::failed;
    if (!status) put(reply.reason, status.error().message);
    return reply;
  }

 private:
  /// At most `threads`. libgomp ends threads that a smaller team of two or more leaves over, and none can be started
  /// again: a larger team would end the process.
  void use_threads(int threads) {
    threads = std::min(threads, startable_threads_);
    if (threads > 1) startable_threads_ = threads;
    if (threads != at::get_num_threads()) at::set_num_threads(threads);
  }

  Status serve(const WorkerRequest& request, WorkerReply& reply) {
    use_threads(static_cast<int>(request.threads));
    const auto memory = memory_.of(request.memory_bytes);
    if (memory.empty()) return fail(ErrorCode::no_space, "its inputs cannot be mapped; use a shorter context");
    return request.task == WorkerTask::load ? load(request, memory, reply) : score(request, memory);
  }

  Status load(const WorkerRequest& request, std::span<std::byte> memory, WorkerReply& reply) {
    KV_ASSIGN(auto loaded, ScorerModule::load({reinterpret_cast<const char*>(memory.data()), request.file_bytes}));
    const ScorerFileNeeds& needs = loaded.needs();
    for (std::size_t i = 0; i < needs.reads.size(); ++i) reply.needs.reads |= needs.reads[i] ? 1U << i : 0U;
    reply.needs.window_queries = needs.window_queries;
    reply.needs.decode_eviction = needs.decode_eviction ? 1 : 0;
    reply.needs.cadence = needs.cadence;
    put(reply.name, loaded.text("name"));
    put(reply.summary, loaded.text("summary"));
    put(reply.source, loaded.text("source"));
    module_ = std::move(loaded);
    return {};
  }

  Status score(const WorkerRequest& request, std::span<std::byte> memory) {
    if (!module_) return fail(ErrorCode::internal, "no file is loaded");
    ScorerArguments arguments;
    arguments.layer = request.layer;
    arguments.sequence_length = request.sequence_length;
    for (std::size_t i = 0; i < request.inputs; ++i) {
      const WireTensor& wire = request.tensors[i];
      const auto input = static_cast<ScorerInput>(wire.input);
      const auto type = input == ScorerInput::positions ? at::kInt : at::kFloat;
      arguments.of(input) =
          at::from_blob(memory.data() + wire.offset, at::IntArrayRef(wire.shape.data(), wire.rank), type);
    }
    if (module_->needs().of(ScorerInput::attention))
      arguments.of(ScorerInput::attention) =
          attention_of(arguments.of(ScorerInput::queries), arguments.of(ScorerInput::keys));
    KV_ASSIGN(const at::Tensor scores, module_->score(arguments, request.kv_heads, request.tokens));
    std::memcpy(memory.data() + request.scores_offset, scores.const_data_ptr<float>(),
                static_cast<std::size_t>(scores.numel()) * sizeof(float));
    return {};
  }

  WorkerMemory memory_;
  std::optional<ScorerModule> module_;
  int startable_threads_ = at::get_num_threads();
};

bool send_reply(const WorkerReply& reply) {
  return ::send(worker_socket, &reply, sizeof reply, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof reply);
}

template <class Number>
Number number_of(std::string_view text) {
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

WorkerReply failed_reply(std::string_view reason) {
  WorkerReply reply;
  put(reply.reason, reason);
  return reply;
}

}  // namespace

int run_method_worker(int argc, char** argv) {
  if (argc != 3) return 2;  // only the program starts it
  keep_freed_memory();
  warm_up(std::max(1, number_of<int>(argv[1])));
  limit_resources(number_of<std::uint64_t>(argv[2]));
  WorkerReply ready;
  const std::string open = confine();
  ready.answer = WorkerAnswer::ready;
  ready.confined = open.empty() ? 1 : 0;
  put(ready.reason, open);
  WorkerSession session;
  bool connected = send_reply(ready);
  while (connected) {
    WorkerRequest request;
    const ssize_t bytes = ::recv(worker_socket, &request, sizeof request, 0);
    if (bytes != static_cast<ssize_t>(sizeof request)) break;  // the program has ended, or is another version
    WorkerReply reply;
    try {
      reply = session.answer(request);
    } catch (const std::exception& error) {  // out of memory before a layer was scored
      reply = failed_reply(reason_of(error));
    }
    connected = send_reply(reply);
  }
  ::_exit(0);  // nothing that ends libtorch's threads could be called any more
}

}  // namespace kvantage::inline method_program
