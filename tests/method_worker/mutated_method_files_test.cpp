// links: app_method_worker core_base
// Damaged method files: whatever the bytes, the worker answers or ends, this process never does, and a file that still
// loads gives scores or one clear line. KVANTAGE_LONG=1: 30,000 files instead of 300.
#include <QtTest>

#include <cmath>
#include <cstring>

#include "core/base/files.h"
#include "core/base/random.h"
#include "tests/support/damage.h"
#include "tests/support/method_files.h"
#include "tests/support/test_program.h"

namespace mutated_method_files_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// Words of archives and of TorchScript, so that some damage reaches what reads them.
std::string mutated(std::string bytes, Random& random) {
  static constexpr std::array words{"keys",    "values", "torch.", "return",   "float",    "int",       "def ",
                                    "(",       ")",      "while ", "True",     "NoneType", "__torch__", "PK\x03\x04",
                                    "forward", "score",  "Tensor", "annotate", "\x80\x02", "."};
  for (std::uint64_t hits = 1 + random.below(3); hits > 0 && !bytes.empty(); --hits) {
    const std::size_t at = random.below(bytes.size());
    switch (random.below(6)) {
      case 0:
        bytes[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
        break;
      case 2: {  // in place: what archives say of lengths still holds
        const std::string_view word = words[random.below(words.size())];
        bytes.replace(at, std::min(word.size(), bytes.size() - at), word.substr(0, bytes.size() - at));
        break;
      }
      case 3:
        bytes.erase(at, random.below(40));
        break;
      case 4:
        bytes.insert(at, bytes.substr(random.below(bytes.size()), random.below(60)));
        break;
      default:
        bytes.resize(at);
        break;
    }
  }
  return bytes;
}

/// A worker that is started again when a file has ended it.
class Loader {
 public:
  WorkerReply load(const std::string& bytes) {
    if (!memory_.grow(std::max<std::size_t>(bytes.size(), 4096))) qFatal("no memory");
    std::memcpy(memory_.bytes().data(), bytes.data(), bytes.size());
    WorkerRequest request;
    request.task = WorkerTask::load;
    request.file_bytes = bytes.size();
    return ask(request);
  }
  /// Scores of 2 heads of 40 tokens, with every input.
  WorkerReply score() {
    constexpr std::size_t input_bytes = std::size_t{1} << 16;
    if (!memory_.grow((wire_inputs + 1) * input_bytes)) qFatal("no memory");
    std::memset(memory_.bytes().data(), 0, wire_inputs * input_bytes);
    WorkerRequest request;
    request.task = WorkerTask::score;
    request.kv_heads = 2;
    request.tokens = 40;
    request.inputs = wire_inputs;
    const std::array<std::vector<std::int64_t>, wire_inputs> shapes{
        {{2, 40, 8}, {2, 40, 8}, {2, 3, 10, 8}, {2, 3, 10, 40}, {2, 40}, {40, 16}, {4}}};
    for (std::size_t i = 0; i < wire_inputs; ++i) {
      request.tensors[i].input = static_cast<std::uint32_t>(i);
      request.tensors[i].rank = static_cast<std::uint32_t>(shapes[i].size());
      std::ranges::copy(shapes[i], request.tensors[i].shape.begin());
      request.tensors[i].offset = i * input_bytes;
    }
    request.scores_offset = wire_inputs * input_bytes;
    return ask(request);
  }
  int ends() const { return ends_; }

 private:
  WorkerReply ask(WorkerRequest request) {
    if (!process_) {
      auto started = WorkerProcess::start(method_worker_program(), memory_.file(), {1, std::uint64_t{1} << 30});
      if (!started || (*started).receive(30)->answer != WorkerAnswer::ready) qFatal("the worker does not start");
      process_ = std::move(*started);
    }
    request.memory_bytes = memory_.bytes().size();
    const auto reply = process_->ask(request, 5);
    if (reply) return *reply;
    ++ends_;
    process_.reset();
    return {};
  }

  SharedMemory memory_;
  std::optional<WorkerProcess> process_;
  int ends_ = 0;
};

}  // namespace

class MutatedMethodFilesTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { lift_time_limit_of_long_runs(); }

  void anyBytesAreAnsweredOrEndTheWorkerAlone() {
    std::vector<std::string> seeds;
    for (const char* name : {"script_knorm", "script_keydiff", "script_snapkv", "all_queries", "exported", "recent",
                             "traced_knorm", "tensors"})
      seeds.push_back(read_text_file(golden_method_file(name)).value());
    Loader loader;
    Random random(fuzz_number("KVANTAGE_SEED", 1129));
    const std::uint64_t tries = fuzz_executions(300);
    std::uint64_t loaded = 0, refused = 0;
    for (std::uint64_t i = 0; i < tries; ++i) {
      const std::string bytes = mutated(seeds[random.below(seeds.size())], random);
      const int ends = loader.ends();
      const WorkerReply reply = loader.load(bytes);
      if (loader.ends() > ends) continue;
      const std::string_view reason(reply.reason.data());
      if (reply.answer == WorkerAnswer::failed) {
        ++refused;
        QVERIFY2(!reason.empty() && reason.find('\n') == std::string_view::npos, reply.reason.data());
        continue;
      }
      QVERIFY(reply.answer == WorkerAnswer::done);
      ++loaded;
      QVERIFY(reply.needs.reads != 0 && reply.needs.reads < 1U << wire_inputs && reply.needs.window_queries >= 0);
      const WorkerReply scored = loader.score();
      QVERIFY(scored.answer == WorkerAnswer::done || scored.answer == WorkerAnswer::failed);
    }
    qInfo("%llu loaded, %llu refused, %d ended the worker", static_cast<unsigned long long>(loaded),
          static_cast<unsigned long long>(refused), loader.ends());
    QVERIFY(loaded > tries / 50 && refused > tries / 4);  // the damage is of both sorts
  }
};

KV_TEST_GUILESS_MAIN(MutatedMethodFilesTest)

}  // namespace mutated_method_files_test

#include "mutated_method_files_test.moc"
