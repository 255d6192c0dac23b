// links: kv_experiments
// Checkpoints that lie, are cut short or ask for what this runtime lacks: one clear line each, never a crash.
#include <QTemporaryDir>
#include <QTest>

#include "core/model/safetensors.h"
#include "core/model/transformer.h"
#include "tests/model/tiny_checkpoint.h"
#include "tests/support/test_program.h"

namespace bad_checkpoints_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

std::string with_length(const std::string& header, const std::string& data, std::int64_t lie = 0) {
  const auto length = static_cast<std::uint64_t>(static_cast<std::int64_t>(header.size()) + lie);
  std::string bytes(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(length >> (8 * i) & 0xff);
  return bytes + header + data;
}

std::span<const std::byte> view(const std::string& text) { return std::as_bytes(std::span(text)); }

}  // namespace

class BadCheckpointsTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::filesystem::path path() const { return folder_.path().toStdString(); }

  /// Loads and checks that it is refused in one line that contains `part`.
  void refused(const char* part, const LoadOptions& options = {}) {
    const auto model = Transformer::load(path(), options);
    QVERIFY2(!model.has_value(), part);
    const QString message = QString::fromStdString(model.error().message);
    QVERIFY2(model.error().code == ErrorCode::rejected_input, qPrintable(message));
    QVERIFY2(message.contains(part), qPrintable(message));
    QVERIFY2(!message.contains('\n'), qPrintable(message));
  }
  void change_config(const Json& changes) {
    Json config = GoldenCase("llama").json["config"];
    config.merge_patch(changes);
    write_file(path() / "config.json", config.dump());
  }

 private slots:
  void init() {
    for (const auto& entry : std::filesystem::directory_iterator(path())) std::filesystem::remove_all(entry.path());
    GoldenCase("llama").write(path(), false);
  }

  void theWholeOneLoads() { QVERIFY(Transformer::load(path()).has_value()); }

  void headersThatLie_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("part");
    const auto row = [](const char* name, const std::string& bytes, const char* part) {
      QTest::newRow(name) << QByteArray::fromStdString(bytes) << QString(part);
    };
    const std::string eight(8, 'x');
    row("empty header length", std::string(5, '\0'), "too short");
    row("header longer than the file", with_length("{}", "", 1000), "the header claims 1002 bytes");
    row("header of 2^63 bytes", std::string(7, '\0') + '\x80', "the header claims");
    row("header is no JSON", with_length("{,}", eight), "(header)");
    row("header is a list", with_length("[]", eight), "not a JSON object");
    row("entry is a number", with_length(R"({"a":1})", eight), "'a' has no description");
    row("no type", with_length(R"({"a":{"shape":[2],"data_offsets":[0,8]}})", eight), "lacks 'dtype'");
    row("unknown type", with_length(R"({"a":{"dtype":"F33","shape":[2],"data_offsets":[0,8]}})", eight),
        "unknown type 'F33'");
    row("negative extent", with_length(R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", eight),
        "bad number");
    row("fraction as extent", with_length(R"({"a":{"dtype":"F32","shape":[2.5],"data_offsets":[0,8]}})", eight),
        "bad number");
    row("extents that overflow",
        with_length(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296,4294967296],"data_offsets":[0,8]}})", eight),
        "invalid shape");
    row("extent beyond 63 bits of an empty tensor",
        with_length(R"({"a":{"dtype":"F32","shape":[0,18446744073709551615],"data_offsets":[0,0]}})", ""),
        "invalid shape");
    row("extents that overflow but for a 0",
        with_length(R"({"a":{"dtype":"F32","shape":[0,1073741824,1073741824,1073741824],"data_offsets":[0,0]}})", ""),
        "invalid shape");
    row("offsets that go back", with_length(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", eight),
        "not a range");
    row("three offsets", with_length(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4,8]}})", eight),
        "not a range");
    row("beyond the file", with_length(R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})", eight),
        "truncated");
    row("offset of 2^64-1",
        with_length(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,18446744073709551615]}})", eight),
        "truncated");
    row("size against shape", with_length(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", eight),
        "shape and type need 12");
    row("overlap",
        with_length(R"({"a":{"dtype":"U8","shape":[6],"data_offsets":[0,6]},)"
                    R"("b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})",
                    eight),
        "overlap");
    row("gap",
        with_length(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                    R"("b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})",
                    eight),
        "gaps");
    row("bytes left over", with_length(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", eight),
        "follow the last tensor");
    row("fine but for the tensors", with_length(R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}})", eight),
        "is missing");
  }
  void namesInErrorsAreOneLine() {
    for (const char* header : {R"({"a\nb":1})", R"({"a\nb":{"dtype":"F\n3"}})", R"({"a":{"dtype":"F\n3"}})"}) {
      const auto read = parse_safetensors(view(with_length(header, "")), "a.safetensors");
      QVERIFY(!read && read.error().message.find('\n') == std::string::npos);
    }
    change_config(Json{{"architectures", Json::array({"GPT2\nModel"})}});
    refused("architecture 'GPT2\\nModel'");
  }

  // As JSON it would fill 40 times its bytes.
  void aHeaderOfTooManyTensorsIsNotParsed() {
    const auto read = parse_safetensors(view(with_length(std::string(25'000'001, ' '), "")), "a.safetensors");
    QVERIFY(!read);
    QVERIFY2(read.error().message.find("too many tensors") != std::string::npos, read.error().message.c_str());
  }

  void anEmptyTensorIsNoOverlap() {
    const std::string header = R"({"a":{"dtype":"F32","shape":[0],"data_offsets":[8,8]},)"
                               R"("b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                               R"("c":{"dtype":"F32","shape":[0,3],"data_offsets":[0,0]}})";
    const std::string bytes = with_length(header, std::string(8, 'x'));
    const auto read = parse_safetensors(view(bytes), "a.safetensors");
    QVERIFY2(read, read ? "" : read.error().message.c_str());
    QCOMPARE(read->size(), std::size_t{3});
  }

  void headersThatLie() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, part);
    write_file(path() / "model.safetensors", bytes.toStdString());
    refused(qPrintable(part));
  }

  void anyTruncationIsNoticed() {
    const std::string whole = *read_text_file(path() / "model.safetensors");
    for (const double part : {0.0, 0.001, 0.01, 0.5, 0.9, 0.999999}) {
      write_file(path() / "model.safetensors",
                 whole.substr(0, static_cast<std::size_t>(part * static_cast<double>(whole.size()))));
      refused(part == 0.0 ? "not a file with contents" : "model.safetensors");
    }
  }

  void randomDamageNeverCrashes() {
    const std::string whole =
        safetensors_bytes({{"a", {{2, 3}, {1, 2, 3, 4, 5, 6}}}, {"b", {{4}, {1, 2, 3, 4}}}}, false);
    QVERIFY(parse_safetensors(view(whole), "whole").has_value());
    Random random(1);
    int refusals = 0;
    for (int i = 0; i < 20000; ++i) {
      std::string damaged = whole.substr(0, random.below(8) == 0 ? random.below(whole.size() + 1) : whole.size());
      for (std::uint64_t hits = random.below(4) + 1; hits > 0 && !damaged.empty(); --hits)
        damaged[random.below(std::min<std::uint64_t>(damaged.size(), 200))] = static_cast<char>(random.next());
      const auto parsed = parse_safetensors(view(damaged), "damaged");
      if (!parsed) {
        ++refusals;
        continue;
      }
      for (const auto& [name, tensor] : *parsed) {  // whatever passes is inside the bytes
        QVERIFY(tensor.bytes.data() >= view(damaged).data());
        QVERIFY(tensor.bytes.data() + tensor.bytes.size() <= view(damaged).data() + damaged.size());
      }
    }
    QVERIFY(refusals > 10000);
  }

  void optConfigsThatCannotBeServed_data() {
    QTest::addColumn<QString>("changes");
    QTest::addColumn<QString>("part");
    const auto row = [](const char* changes, const char* part) {
      QTest::newRow(part) << QString(changes) << QString(part);
    };
    row(R"({"word_embed_proj_dim":32})", "word_embed_proj_dim 32 other than hidden_size 64");
    row(R"({"activation_function":"gelu"})", "activation 'gelu'");
    row(R"({"layer_norm_elementwise_affine":false})", "norms without weights");
    row(R"({"_remove_final_layer_norm":true})", "norms without weights");
    row(R"({"num_attention_heads":5})", "hidden_size is not a multiple");
    row(R"({"num_attention_heads":64,"head_dim":16})", "head_dim 1 must be even");
    row(R"({"ffn_dim":null})", "'ffn_dim' is missing");
    row(R"({"max_position_embeddings":64})", "embed_positions.weight' is [130, 64]");
    row(R"({"tie_word_embeddings":false})", "'lm_head.weight' is missing");
    row(R"({"dtype":"float64"})", "'float64' are not supported");
  }
  void optConfigsThatCannotBeServed() {
    QFETCH(QString, changes);
    QFETCH(QString, part);
    for (const auto& entry : std::filesystem::directory_iterator(path())) std::filesystem::remove_all(entry.path());
    GoldenCase("opt").write(path(), false);
    QVERIFY(Transformer::load(path()).has_value());
    Json config = GoldenCase("opt").json["config"];
    config.merge_patch(Json::parse(changes.toStdString()));
    write_file(path() / "config.json", config.dump());
    refused(qPrintable(part));
  }

  void configsThatCannotBeServed_data() {
    QTest::addColumn<QString>("changes");
    QTest::addColumn<QString>("part");
    const auto row = [](const char* changes, const char* part) {
      QTest::newRow(part) << QString(changes) << QString(part);
    };
    row(R"({"architectures":["GPT2LMHeadModel"]})", "architecture 'GPT2LMHeadModel' is not supported");
    row(R"({"architectures":null})", "architecture '(none named)'");
    row(R"({"vocab_size":null})", "'vocab_size' is missing");
    row(R"({"hidden_size":"64"})", "'hidden_size' has the wrong type");
    row(R"({"hidden_size":-64})", "'hidden_size' must be a whole number");
    row(R"({"num_hidden_layers":2.5})", "'num_hidden_layers' must be a whole number");
    row(R"({"num_key_value_heads":3})", "is not a multiple of num_key_value_heads (3)");
    row(R"({"head_dim":7})", "head_dim 7 must be even");
    row(R"({"hidden_act":"gelu"})", "activation 'gelu'");
    row(R"({"dtype":"float64"})", "'float64' are not supported");
    row(R"({"rope_parameters":{"rope_type":"mrope","factor":4.0}})", "rotary scaling 'mrope' is not supported");
    row(R"({"rope_parameters":null,"rope_scaling":{"type":"ntk","factor":2.0}})", "rotary scaling 'ntk'");
    row(R"({"rope_parameters":{"rope_type":"yarn","factor":-4.0}})", "'factor' must be a positive number");
    row(R"({"rope_parameters":{"rope_type":"longrope","long_factor":[1]}})", "'short_factor' is missing");
    row(R"({"rope_parameters":{"rope_type":"longrope","short_factor":[1,2]}})", "short_factor has 2 numbers for 4");
    row(R"({"rope_parameters":{"rope_type":"longrope","short_factor":[1,2,3,4]}})", "'long_factor' is missing");
    row(R"({"rope_parameters":{"rope_type":"longrope","short_factor":[1,2,3,4],"long_factor":[1,2,0,4]}})",
        "'long_factor' must be a positive number");
    row(R"({"architectures":["DeepseekV32ForCausalLM"]})", "an index of its own chooses the tokens that a query sees");
    row(R"({"quantization_config":{"quant_method":"bitsandbytes"}})", "quantization 'bitsandbytes' is not supported");
    row(R"({"quantization_config":{"quant_method":"gptq","bits":3}})", "bits '3' is not supported");
    row(R"({"quantization_config":{"quant_method":"awq","version":"gemv"}})", "version 'gemv' is not supported");
    row(R"({"rope_parameters":{"rope_type":"linear"}})", "'factor' is missing");
    row(R"({"rope_parameters":{"rope_type":"linear","factor":0}})", "'factor' must be a positive number");
    row(R"({"rope_parameters":{"rope_type":"llama3","factor":8,"low_freq_factor":4,"high_freq_factor":1}})",
        "high_freq_factor must be larger");
    row(R"({"rope_parameters":{"partial_rotary_factor":0.5}})", "partial_rotary_factor");
    row(R"({"rope_parameters":{"rope_theta":1e-300}})", "'rope_theta' must be a positive number");
    row(R"({"rms_norm_eps":0})", "rms_norm_eps");
    row(R"({"rms_norm_eps":1e-300})", "rms_norm_eps must be between");
    row(R"({"hidden_size":1000000000,"head_dim":8})", "sizes are larger than those of any supported model");
    row(R"({"intermediate_size":111})", "config.json asks for");
    row(R"({"num_hidden_layers":4})", "is missing");
    row(R"({"attention_bias":true})", "bias' is missing");
  }
  void configsThatCannotBeServed() {
    QFETCH(QString, changes);
    QFETCH(QString, part);
    change_config(Json::parse(changes.toStdString()));
    refused(qPrintable(part));
  }

  void aFolderWithoutWhatIsNeeded() {
    std::filesystem::remove(path() / "model.safetensors");
    refused("neither model.safetensors nor");
    std::filesystem::remove(path() / "config.json");
    refused("no config.json; give a Hugging Face folder, which has one, or a GGUF file");
    write_file(path() / "config.json", "{");
    refused("config.json");
    std::filesystem::remove_all(path());
    refused("no such file or folder; give a Hugging Face folder or a GGUF file");
    std::filesystem::create_directories(path());
  }

  void shardsThatDoNotFitTheirIndex() {
    init();
    std::filesystem::rename(path() / "model.safetensors", path() / "one.safetensors");
    const auto index = [&](const Json& map) {
      write_file(path() / "model.safetensors.index.json", Json{{"weight_map", map}}.dump());
    };
    index({{"model.norm.weight", "../one.safetensors"}});
    refused("is not a file name in this folder");
    index(Json{{"model.norm.weight", std::string("one.safetensors\0", 16)}});
    refused("is not a file name in this folder");
    index({{"model.norm.weight", "absent.safetensors"}});
    refused("absent.safetensors");
    index({{"no.such.tensor", "one.safetensors"}});
    refused("'no.such.tensor' is missing");
    index({{"model.norm.weight", 5}});
    refused("weight_map");
  }

  void aModelLargerThanMemory() {
    refused("of memory are available", {.compute = {}, .kv_type = {}, .memory_limit_bytes = 100000, .isa = {}});
    QVERIFY(Transformer::load(path(), {.compute = {}, .kv_type = {}, .memory_limit_bytes = 100 << 20, .isa = {}})
                .has_value());
  }

  void shardsAndOneFileAreTheSameModel() {
    const GoldenCase golden("mistral_sharded");
    QTemporaryDir sharded, single;
    golden.write(sharded.path().toStdString(), false);
    GoldenCase whole = golden;
    whole.json["shards"] = 1;
    whole.write(single.path().toStdString(), false);
    const auto a = Transformer::load(sharded.path().toStdString()), b = Transformer::load(single.path().toStdString());
    QCOMPARE((*a)->digest().hex(), (*b)->digest().hex());
    // one number changed is another model
    NamedTensors tensors = golden.tensors();
    tensors["model.norm.weight"].numbers[3] += 0.25F;
    write_file(single.path().toStdString() + "/model.safetensors", safetensors_bytes(tensors, false));
    const auto c = Transformer::load(single.path().toStdString());
    QVERIFY((*a)->digest() != (*c)->digest());
    // and so is another frequency
    Json config = golden.json["config"];
    config["rope_theta"] = 1e5;
    write_file(sharded.path().toStdString() + "/config.json", config.dump());
    QVERIFY((*Transformer::load(sharded.path().toStdString()))->digest() != (*b)->digest());
  }

  void aSlidingWindowIsOfLayersAndBoundsNoPosition() {
    Json config = GoldenCase("mistral_linear").json["config"];
    config["sliding_window"] = 128;
    GoldenCase("mistral_linear").write(path(), false);
    write_file(path() / "config.json", config.dump());
    QCOMPARE(read_model_config(path())->max_positions, 512);
    for (int layer = 0; layer < 3; ++layer) QCOMPARE(read_model_config(path())->window(layer), 128);
    config["sliding_window"] = 512;  // no position is beyond it
    write_file(path() / "config.json", config.dump());
    QVERIFY(!read_model_config(path())->has_windows());
    GoldenCase("qwen2").write(path(), false);  // names a window but does not use it
    QCOMPARE(read_model_config(path())->max_positions, 512);
    QVERIFY(!read_model_config(path())->has_windows());
  }

  void messagesNameWhatEndsThePositions() {
    const auto message = [&] {
      const auto model = Transformer::load(path());
      if (!model) return model.error().message;
      BlockPool pool((*model)->kv_shape(), 32, std::size_t{64} << 20);
      KvCache cache(pool);
      std::vector<float> logits(256);
      return (*model)->decode(cache, 3, 512, logits).error().message;
    };
    QCOMPARE(message(), "position 512 is beyond the model's 512 positions (max_position_embeddings in " +
                            (path() / "config.json").string() + "); shorten the context");
    change_config(Json{{"rope_parameters", {{"rope_type", "dynamic"}, {"rope_theta", 10000.0}, {"factor", 2.0}}}});
    QVERIFY(message().find("; --max-model-len up to 1024 serves longer texts, by dynamic scaling") !=
            std::string::npos);
  }

  // transformers' MistralConfig: sliding_window is 4096 by default, and None is full attention.
  void aMistralWithoutTheKeyHasTheDefaultWindow() {
    Json config = GoldenCase("mistral_linear").json["config"];
    GoldenCase("mistral_linear").write(path(), false);
    config["max_position_embeddings"] = 32768;
    config["rope_scaling"] = nullptr;
    config.erase("sliding_window");
    write_file(path() / "config.json", config.dump());
    QCOMPARE(read_model_config(path())->window(0), 4096);
    config["sliding_window"] = nullptr;
    write_file(path() / "config.json", config.dump());
    QCOMPARE(read_model_config(path())->max_positions, 32768);
    QVERIFY(!read_model_config(path())->has_windows());
  }

  // transformers ties weights only where the checkpoint does not store both with different values.
  void aStoredHeadCountsMoreThanThatItIsTied() {
    const GoldenCase golden("llama");
    Json config = golden.json["config"];
    config["tie_word_embeddings"] = false;
    NamedTensors tensors = golden.tensors();
    NamedTensor head = tensors.at("model.embed_tokens.weight");
    for (float& number : head.numbers) number = 1 - number;
    tensors["lm_head.weight"] = head;
    QTemporaryDir untied;
    for (const std::filesystem::path& folder : {path(), std::filesystem::path(untied.path().toStdString())}) {
      golden.write(folder, false);
      write_file(folder / "model.safetensors", safetensors_bytes(tensors, false));
      write_file(folder / "config.json", config.dump());
      config["tie_word_embeddings"] = true;  // the second says so, and stores the same
    }
    const auto a = Transformer::load(path()), b = Transformer::load(untied.path().toStdString());
    QVERIFY2(a && b, !a ? a.error().message.c_str() : !b ? b.error().message.c_str() : "");
    QCOMPARE((*a)->digest().hex(), (*b)->digest().hex());
    QVERIFY(!(*b)->config().tied_embeddings);
    // and the same head is a tied one
    tensors["lm_head.weight"] = tensors.at("model.embed_tokens.weight");
    write_file(path() / "model.safetensors", safetensors_bytes(tensors, false));
    write_file(path() / "config.json", config.dump());
    QVERIFY((*Transformer::load(path()))->config().tied_embeddings);
  }

  void endTokensComeFromBothFiles() {
    change_config({{"eos_token_id", {7, 2}}});
    write_file(path() / "generation_config.json", R"({"eos_token_id": [9, 2]})");
    QCOMPARE(read_model_config(path())->eos_ids, (std::vector<std::int32_t>{2, 7, 9}));
    // Of what is linked but missing nobody knows the end tokens.
    std::filesystem::remove(path() / "generation_config.json");
    std::filesystem::create_symlink("../blobs/0123", path() / "generation_config.json");
    refused("generation_config.json: is a link to a file that is missing; restore the file or remove the link");
  }
};

KV_TEST_GUILESS_MAIN(BadCheckpointsTest)

}  // namespace bad_checkpoints_test

#include "bad_checkpoints_test.moc"
