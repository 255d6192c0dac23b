// links: kv_experiments kvantage::torch
// Prefill and decode of the model's runtime: beside what the machine reads and multiplies at the most, and beside
// llama.cpp and transformers on the same weights in the same run, where a Python with them is available
// (build/venv-peers, or KVANTAGE_PEERS_PYTHON).
//     engine_speed_bench_test [--model FOLDER] [--prompt N] [--decode N] [--repeats N] [--threads N]
//                             [--type bf16|q8_0|q4_0|q4_k|q6_k]
// Without --model: the default model. FOLDER needs no tokenizer (peer_engines.py make). With another --type
// both we and llama.cpp compute with one and the same GGUF file of that type (transformers stays out). Asserted are
// tokens, and speeds only where a constant below says so.
#include "tests/bench/machine_limits.h"  // libtorch before Qt, whose macros take "slots"

#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <cstdio>
#include <cstring>

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/random.h"
#include "core/model/kernels/kernels.h"
#include "core/model/transformer.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace engine_speed_bench_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// Lowest multiples of llama.cpp's speed that pass, with weights of 4 to 6 bits. 0: printed only.
constexpr double lowest_prefill = 0, lowest_decode = 0;

std::filesystem::path folder_given;
int prompt_tokens = 512, decoded = 64, repeats = 3, threads = 2;
std::string type = "bf16";
std::filesystem::path peers_python() {
  if (const char* given = std::getenv("KVANTAGE_PEERS_PYTHON")) return given;
  const auto default_python = source_directory() / "build" / "venv-peers" / "bin" / "python";
  return std::filesystem::exists(default_python) ? default_python : std::filesystem::path();
}

std::int32_t best_token(std::span<const float> logits) {
  return static_cast<std::int32_t>(std::ranges::max_element(logits) - logits.begin());
}

struct Times {
  double prefill = 1e30, decode = 1e30;  // seconds; decode: of all decoded tokens
  std::vector<std::int32_t> tokens;
};

}  // namespace

class EngineSpeedBench : public QObject {
  Q_OBJECT

  std::unique_ptr<Transformer> model_;
  std::vector<std::int32_t> prompt_;
  std::filesystem::path folder_;
  std::filesystem::path gguf_;  // the same weights
  QTemporaryDir made_;
  Times ours_;

  /// The checkpoint as GGUF, made by the peers' Python where there is none beside it; empty: it could not be.
  std::filesystem::path as_gguf() const {
    const std::filesystem::path beside = folder_ / ("model-" + type + ".gguf");
    if (std::filesystem::exists(beside)) return beside;
    if (peers_python().empty()) return {};
    const std::filesystem::path made = std::filesystem::path(made_.path().toStdString()) / "model.gguf";
    const int code =
        QProcess::execute(QString::fromStdString(peers_python().string()),
                          {QString::fromStdString((source_directory() / "tests/bench/peer_engines.py").string()),
                           "gguf", QString::fromStdString(folder_.string()), QString::fromStdString(made.string()),
                           QString::fromStdString(type)});
    return code == 0 ? made : std::filesystem::path();
  }

  /// Asks a peer; nothing (and a word why) where it does not run.
  std::optional<Times> ask(const char* peer) {
    const QTemporaryDir folder;
    const std::filesystem::path file = std::filesystem::path(folder.path().toStdString()) / "job.json";
    const Json job{{"model", folder_.string()},
                   {"gguf", gguf_.string()},
                   {"threads", compute_threads()},
                   {"prompt", prompt_},
                   {"decoded", decoded},
                   {"repeats", repeats},
                   {"vocab_size", model_->config().vocab_size}};
    if (!write_text_file(file, job.dump())) return std::nullopt;
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "OMP_NUM_THREADS"})
      environment.remove(name);  // peers wait as they like best
    process.setProcessEnvironment(environment);
    process.start(QString::fromStdString(peers_python().string()),
                  {QString::fromStdString((source_directory() / "tests/bench/peer_engines.py").string()), peer,
                   QString::fromStdString(file.string())});
    if (!process.waitForFinished(1'800'000) || process.exitCode() != 0) {
      std::printf("%s does not run here: %s\n", peer, process.readAllStandardError().right(400).constData());
      return std::nullopt;
    }
    const auto row = parse_json(process.readAllStandardOutput().trimmed().toStdString(), peer);
    if (!row) return std::nullopt;
    return Times{row->at("prefill_seconds").get<double>(), row->at("decode_seconds").get<double>(),
                 row->at("tokens").get<std::vector<std::int32_t>>()};
  }

  /// What all norms over the hidden size that a token passes take together.
  double norm_seconds() const {
    const ModelConfig& config = model_->config();
    const Kernels& kernel = kernels(best_isa());
    const auto width = static_cast<std::size_t>(config.hidden);
    std::vector<float> row(width, 0.5F), weight(width, 1.0F), normed(width);
    constexpr int rounds = 200;
    const double start = now();
    for (int round = 0; round < rounds; ++round)
      for (int norm = 0; norm < 2 * config.layers + 1; ++norm) {
        if (config.layer_norm)
          kernel.layer_norm(row.data(), weight.data(), weight.data(), config.hidden, config.rms_eps, normed.data(),
                            Element::fp32);
        else
          kernel.rms_norm(row.data(), weight.data(), config.hidden, config.rms_eps, normed.data(), Element::fp32);
        row[static_cast<std::size_t>(norm) % width] = normed.back();
      }
    return (now() - start) / rounds;
  }

  void print_beside(const char* peer, const Times& theirs) const {
    std::size_t same = 0;
    while (same < theirs.tokens.size() && same < ours_.tokens.size() && theirs.tokens[same] == ours_.tokens[same])
      ++same;
    std::printf(
        "%-24s prefill %8.1f tokens/s (ours x %.2f), decode %7.2f tokens/s (ours x %.2f); the first %zu of %zu tokens "
        "equal\n",
        peer, prompt_tokens / theirs.prefill, theirs.prefill / ours_.prefill, decoded / theirs.decode,
        theirs.decode / ours_.decode, same, ours_.tokens.size());
    std::fflush(stdout);
  }

 private slots:
  void initTestCase() {
    folder_ = folder_given.empty() ? model_directory() : folder_given;
    if (folder_.empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    gguf_ = as_gguf();
    if (type != "bf16" && gguf_.empty())
      QSKIP("no GGUF file of that type, and no Python that makes one (build/venv-peers or KVANTAGE_PEERS_PYTHON)");
    auto model = Transformer::load(type == "bf16" ? folder_ : gguf_);
    QVERIFY2(model.has_value(), model ? "" : model.error().message.c_str());
    model_ = std::move(*model);
    Random random(5);
    for (int i = 0; i < prompt_tokens; ++i)
      prompt_.push_back(
          static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(model_->config().vocab_size))));
  }

  void besideTheMachine() {
    ReadBandwidth memory;
    std::vector<double> decode_seconds, bandwidths{memory.pass(compute_threads())};
    const double peak = gemm_peak();
    BlockPool pool(model_->kv_shape(), 32, std::size_t{2} << 30);
    for (int round = 0; round < repeats; ++round) {
      KvCache cache(pool);
      double start = now();
      PrefillTask prefill(*model_, cache, prompt_, 0, {.chunk_tokens = 512});
      QVERIFY(prefill.run().has_value());
      std::int32_t token = best_token(prefill.logits());
      ours_.prefill = std::min(ours_.prefill, now() - start);
      ours_.tokens.assign(1, token);
      std::vector<float> logits(static_cast<std::size_t>(model_->config().vocab_size));
      start = now();
      for (int step = 0; step < decoded; ++step) {
        QVERIFY(model_->decode(cache, token, prompt_tokens + step, logits).has_value());
        token = best_token(logits);
        ours_.tokens.push_back(token);
      }
      decode_seconds.push_back(now() - start);
      ours_.decode = std::min(ours_.decode, decode_seconds.back());
      bandwidths.push_back(memory.pass(compute_threads()));
    }
    const ModelConfig& config = model_->config();
    const double kv = 2.0 * config.layers * config.kv_heads * config.head_dim *
                      static_cast<double>(bytes_of(model_->kv_shape().type));
    const double embeddings = static_cast<double>(config.vocab_size) * config.hidden;
    const double weights = static_cast<double>(config.parameters()) - (config.tied_embeddings ? 0 : embeddings);
    // What products read: every matrix; of an embedding of its own one row.
    const double stored = type == "bf16" ? weights * (model_->compute() == ComputeType::bf16 ? 2 : 4)
                                         : static_cast<double>(std::filesystem::file_size(gguf_));
    const double bytes = stored + kv * (prompt_tokens + decoded / 2.0);
    // Projections of every token and one row of logits; attention of half of all pairs.
    const double flops =
        2.0 * (weights - embeddings) * prompt_tokens + 2.0 * embeddings +
        2.0 * config.layers * config.heads * config.head_dim * static_cast<double>(prompt_tokens) * prompt_tokens;
    std::vector<double> shares;  // of what was read just before and after
    for (std::size_t i = 0; i < decode_seconds.size(); ++i)
      shares.push_back(2 * bytes * decoded / decode_seconds[i] / (bandwidths[i] + bandwidths[i + 1]));
    std::printf(
        "%s, %s: %s; %.1f MB of weights; %d threads; memory is read at %.1f GB/s (median), libtorch multiplies bf16 at "
        "%.1f GFLOP/s at the most\n",
        folder_.filename().c_str(), type.c_str(), model_->path_description().c_str(),
        static_cast<double>(model_->weight_bytes()) * 1e-6, compute_threads(), median_of(bandwidths) * 1e-9,
        peak * 1e-9);
    std::printf(
        "ours: prefill of %d tokens %.1f tokens/s, %.2f of that product's rate; decode %.2f tokens/s, %.1f MB a token, "
        "%.2f of the bandwidth (median of the rounds)\n",
        prompt_tokens, prompt_tokens / ours_.prefill, flops / ours_.prefill / peak, decoded / ours_.decode,
        bytes * 1e-6, median_of(shares));
    std::printf(
        "norms of a token %.4f of a decode step: more than that no fusion with the products behind them could save\n",
        norm_seconds() * decoded / ours_.decode);
    std::fflush(stdout);
    QCOMPARE(static_cast<int>(ours_.tokens.size()), decoded + 1);
  }

  void besidePeers() {
    if (peers_python().empty())
      QSKIP("no Python with the peers (build/venv-peers or KVANTAGE_PEERS_PYTHON): their times stay unmeasured");
    if (gguf_.empty()) QSKIP("the checkpoint could not be written as GGUF");
    if (const auto theirs = ask("llama")) {
      print_beside(("llama.cpp, " + type).c_str(), *theirs);
      if (type.starts_with("q4") || type.starts_with("q6"))
        QVERIFY(theirs->prefill / ours_.prefill >= lowest_prefill && theirs->decode / ours_.decode >= lowest_decode);
    }
    if (type != "bf16") return;
    if (const auto theirs = ask("transformers")) print_beside("transformers, bf16", *theirs);
  }
};

KV_TEST_PROGRAM(argc, argv) {
  std::vector<char*> others;
  for (int i = 0; i < argc; ++i) {
    const auto next = [&] { return i + 1 < argc ? argv[++i] : argv[0]; };
    if (std::strcmp(argv[i], "--model") == 0)
      folder_given = next();
    else if (std::strcmp(argv[i], "--prompt") == 0)
      prompt_tokens = std::max(2, std::atoi(next()));
    else if (std::strcmp(argv[i], "--decode") == 0)
      decoded = std::max(1, std::atoi(next()));
    else if (std::strcmp(argv[i], "--repeats") == 0)
      repeats = std::max(1, std::atoi(next()));
    else if (std::strcmp(argv[i], "--threads") == 0)
      threads = std::max(1, std::atoi(next()));
    else if (std::strcmp(argv[i], "--type") == 0)
      type = next();
    else
      others.push_back(argv[i]);
  }
  int count = static_cast<int>(others.size());
  QCoreApplication application(count, others.data());
  set_compute_threads(threads);
  EngineSpeedBench bench;
  return QTest::qExec(&bench, count, others.data());
}

}  // namespace engine_speed_bench_test

#include "engine_speed_bench_test.moc"
