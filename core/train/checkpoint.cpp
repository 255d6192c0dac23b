#include "core/train/checkpoint.h"

#include <cstring>

#include "core/base/files.h"
#include "core/base/folders.h"
#include "core/base/json.h"
#include "core/base/mapped_file.h"
#include "core/train/shape_file.h"

namespace kvantage::inline training {
namespace {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

constexpr const char* state_file = "training_state.safetensors";
constexpr const char* weights_file = "model.safetensors";

/// The safetensors format: eight bytes of header length, a JSON header padded with spaces, then the data.
std::string to_safetensors(const NamedTensors& tensors, const std::map<std::string, std::string>& metadata) {
  OrderedJson header = OrderedJson::object();
  header["__metadata__"] = metadata;
  std::uint64_t offset = 0;
  for (const auto& [name, tensor] : tensors) {
    const auto bytes = static_cast<std::uint64_t>(tensor.nbytes());
    header[name] = {{"dtype", tensor.scalar_type() == at::kBFloat16 ? "BF16" : "F32"},
                    {"shape", tensor.sizes().vec()},
                    {"data_offsets", {offset, offset + bytes}}};
    offset += bytes;
  }
  std::string text = dump_json(header);
  text.append((8 - text.size() % 8) % 8, ' ');
  const std::uint64_t length = text.size();
  std::string file(sizeof length, '\0');
  std::memcpy(file.data(), &length, sizeof length);
  file += text;
  file.reserve(file.size() + offset);
  for (const auto& [name, tensor] : tensors)
    file.append(static_cast<const char*>(tensor.contiguous().const_data_ptr()), tensor.nbytes());
  return file;
}

struct LoadedTensors {
  std::map<std::string, at::Tensor> tensors;  // as fp32
  Json metadata;
};

Expected<LoadedTensors> from_safetensors(const std::filesystem::path& path) {
  KV_ASSIGN(const auto mapped, MappedFile::open(path));
  const std::string_view file(reinterpret_cast<const char*>(mapped->bytes().data()), mapped->bytes().size());
  const auto damaged = [&path](const std::string& reason) {
    return fail(ErrorCode::rejected_input, path.string() + ": " + reason + "; use another checkpoint");
  };
  std::uint64_t length = 0;
  if (file.size() < sizeof length) return damaged("shorter than its header length");
  std::memcpy(&length, file.data(), sizeof length);
  if (length > file.size() - sizeof length) return damaged("the header is longer than the file");
  constexpr std::uint64_t longest_header = 25'000'000;
  if (length > longest_header) return damaged("the header is too long");
  KV_ASSIGN(auto header, parse_json(file.substr(sizeof length, length), path.string()));
  const std::string_view data = file.substr(sizeof length + length);
  LoadedTensors loaded;
  std::uint64_t loaded_bytes = 0;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") {
      loaded.metadata = entry;
      continue;
    }
    const auto type = json_field<std::string>(entry, "dtype", path.string());
    const auto shape = json_field<std::vector<std::int64_t>>(entry, "shape", path.string());
    const auto range = json_field<std::vector<std::uint64_t>>(entry, "data_offsets", path.string());
    if (!type || !shape || !range || range->size() != 2 || (*type != "F32" && *type != "BF16"))
      return damaged("tensor '" + printable(name) + "' is not described as fp32 or bf16");
    std::uint64_t bytes = *type == "F32" ? 4 : 2;
    bool fits = true;
    for (const std::int64_t extent : *shape)
      fits = fits && extent > 0 && !__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(extent), &bytes);
    if (!fits) return damaged("tensor '" + printable(name) + "' has an impossible shape");
    if ((*range)[0] > (*range)[1] || (*range)[1] > data.size() || (*range)[1] - (*range)[0] != bytes)
      return damaged("tensor '" + printable(name) + "' is outside the file");
    loaded_bytes += bytes;
    if (loaded_bytes > data.size()) return damaged("its tensors overlap");
    at::Tensor tensor = at::empty(*shape, *type == "F32" ? at::kFloat : at::kBFloat16);
    std::memcpy(tensor.mutable_data_ptr(), data.data() + (*range)[0], bytes);
    loaded.tensors[name] = tensor.to(at::kFloat);
  }
  return loaded;
}

/// Copies `name` into `target`, or names the tensor that does not match.
Status take(const LoadedTensors& loaded, const std::string& name, const at::Tensor& target,
            const std::filesystem::path& path) {
  const auto found = loaded.tensors.find(name);
  if (found == loaded.tensors.end() || found->second.sizes() != target.sizes())
    return fail(ErrorCode::rejected_input, path.string() + ": tensor '" + name +
                                               "' is missing or has another shape than config.json or this program's "
                                               "vocabulary give it; use a folder that it wrote");
  target.copy_(found->second);
  return {};
}

}  // namespace

Status save_model(const std::filesystem::path& folder, const Network& network, const TokenizerSpec& tokenizer,
                  const TrainShape& shape) {
  if (const std::error_code failed = make_private_folders(folder))
    return fail(ErrorCode::io, folder.string() + ": " + failed.message() + "; choose a writable folder");
  OrderedJson config = {{"architectures", {"Qwen2ForCausalLM"}}, {"model_type", "qwen2"}};
  config.update(shape_fields(shape));
  config.update(OrderedJson{{"vocab_size", network.vocabulary()},
                            {"tie_word_embeddings", true},
                            {"hidden_act", "silu"},
                            {"attention_dropout", 0.0},
                            {"torch_dtype", "bfloat16"},
                            {"eos_token_id", TokenizerSpec::end},
                            {"pad_token_id", TokenizerSpec::pad},
                            {"bos_token_id", nullptr},
                            {"use_sliding_window", false}});
  const OrderedJson generation = {
      {"eos_token_id", TokenizerSpec::end}, {"pad_token_id", TokenizerSpec::pad}, {"do_sample", false}};
  KV_TRY(write_text_file(folder / "config.json", dump_json(config, 1) + "\n"));
  KV_TRY(write_text_file(folder / "generation_config.json", dump_json(generation, 1) + "\n"));
  KV_TRY(write_text_file(folder / "tokenizer.json", tokenizer_json(tokenizer)));
  KV_TRY(write_text_file(folder / "tokenizer_config.json", tokenizer_config_json()));
  NamedTensors tensors;
  for (const ExportedTensor& part : network.exported()) {
    const at::Tensor& value = network.parameters()[part.parameter].value;
    tensors.emplace_back(part.name, value.narrow(0, part.first_row, part.rows).to(at::kBFloat16).cpu().contiguous());
  }
  return write_text_file(folder / weights_file, to_safetensors(tensors, {{"format", "pt"}}));
}

Status save_state(const std::filesystem::path& folder, const Network& network, Optimizer& optimizer,
                  const Json& progress) {
  NamedTensors tensors;
  for (std::size_t i = 0; i < network.parameters().size(); ++i) {
    const Parameter& parameter = network.parameters()[i];
    tensors.emplace_back(parameter.name, parameter.value.cpu());
    tensors.emplace_back(parameter.name + ".momentum", optimizer.momenta()[i].cpu());
    if (optimizer.squares()[i].defined())
      tensors.emplace_back(parameter.name + ".square", optimizer.squares()[i].cpu());
  }
  return write_text_file(folder / state_file, to_safetensors(tensors, {{"progress", dump_json(progress)}}));
}

Expected<Json> load_checkpoint(const std::filesystem::path& folder, Network& network, Optimizer* optimizer) {
  std::error_code ignored;
  if (optimizer != nullptr && std::filesystem::exists(folder / state_file, ignored)) {
    const std::filesystem::path path = folder / state_file;
    KV_ASSIGN(const auto loaded, from_safetensors(path));
    for (std::size_t i = 0; i < network.parameters().size(); ++i) {
      const Parameter& parameter = network.parameters()[i];
      KV_TRY(take(loaded, parameter.name, parameter.value, path));
      KV_TRY(take(loaded, parameter.name + ".momentum", optimizer->momenta()[i], path));
      if (optimizer->squares()[i].defined())
        KV_TRY(take(loaded, parameter.name + ".square", optimizer->squares()[i], path));
    }
    KV_ASSIGN(const auto text, json_field<std::string>(loaded.metadata, "progress", path.string()));
    return parse_json(text, path.string());
  }
  const std::filesystem::path path = folder / weights_file;
  KV_ASSIGN(const auto loaded, from_safetensors(path));
  for (const ExportedTensor& part : network.exported())
    KV_TRY(
        take(loaded, part.name, network.parameters()[part.parameter].value.narrow(0, part.first_row, part.rows), path));
  return Json::object();
}

}  // namespace kvantage::inline training
