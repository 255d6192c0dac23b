#include <algorithm>
#include <array>

#include "core/base/did_you_mean.h"
#include "core/base/json.h"
#include "core/kv/codecs/codecs.h"

namespace kvantage::inline codecs {
namespace {

constexpr std::string_view kivi_source = "KIVI (arXiv 2402.02750); its released quantizer";

constexpr std::array<CodecInfo, 10> infos{{
    {"bf16", "", "rows as stored in memory", "", "16"},
    {"fp8", "", "8-bit floats (e4m3), saturating", "OCP 8-bit floating point specification 1.0; vLLM's fp8 cache", "8"},
    {"kivi8", "residual=128,group=32", "keys per channel, values per token, newest rows uncompressed", kivi_source,
     "9"},
    {"kivi4", "residual=128,group=32", "keys per channel, values per token, newest rows uncompressed", kivi_source,
     "5"},
    {"kivi2", "residual=128,group=32", "keys per channel, values per token, newest rows uncompressed", kivi_source,
     "3"},
    {"cachegen", "level=2", "layer-dependent quantization and an arithmetic coder",
     "CacheGen (arXiv 2310.07240); its released encoder", "depends on the text, 3 to 5"},
    {"think", "removed=0.4,window=32", "keys without the channels that the last queries read least",
     "ThinK, Xu et al. 2024 (arXiv 2407.21018); kvpress ThinKPress", "12.8"},
    {layer_inputs_codec, "share=1.0", "layer inputs of the first tokens, whose keys and values are recomputed",
     "KVPR (arXiv 2411.17089); at load time: our extension", "half of them with multi-head attention"},
    {token_chunks_codec, "length=64", "rows as stored in memory, in chunks of tokens that can be read alone",
     "IMPRESS, Chen et al. 2025, FAST '25", "16"},
    {"zstd", "level=3", "lossless, alone or after another codec (kivi4+zstd)", "RFC 8878", "depends on the text"},
}};

constexpr std::array<std::pair<std::string_view, CodecFactory>, 9> factories{{{"bf16", make_bf16},
                                                                              {"fp8", make_fp8},
                                                                              {"kivi8", make_kivi8},
                                                                              {"kivi4", make_kivi4},
                                                                              {"kivi2", make_kivi2},
                                                                              {"cachegen", make_cachegen},
                                                                              {"think", make_think},
                                                                              {layer_inputs_codec, make_layer_inputs},
                                                                              {token_chunks_codec, make_token_chunks}}};

tl::unexpected<Error> unknown_codec(const std::string& name) {
  return fail(ErrorCode::usage, "unknown codec '" + name + "'; " + did_you_mean(name, infos, {}, &CodecInfo::name));
}

Expected<std::pair<MethodText, Parameters>> read_part(std::string_view text) {
  KV_ASSIGN(auto parts, read_method_text(text));
  const auto info = std::ranges::find(infos, parts.name, &CodecInfo::name);
  if (info == infos.end()) return unknown_codec(parts.name);
  KV_ASSIGN(auto parameters, Parameters::resolve(parts, info->parameters));
  return std::pair(std::move(parts), std::move(parameters));
}

Expected<std::shared_ptr<const Codec>> make_codec(std::string_view name, const Parameters& parameters) {
  return std::ranges::find(factories, name, &std::pair<std::string_view, CodecFactory>::first)->second(parameters);
}

}  // namespace

std::span<const CodecInfo> known_codecs() { return infos; }

Expected<std::shared_ptr<const Codec>> parse_codec(std::string_view text) {
  const auto plus = text.find('+');
  KV_ASSIGN(const auto first, read_part(text.substr(0, plus)));
  const bool wraps_held_rows = first.first.name == "zstd";
  if (wraps_held_rows) {
    if (plus != std::string_view::npos)
      return fail(ErrorCode::usage, "codec '" + std::string(text) + "': zstd comes last, as in kivi4+zstd");
    const auto plain = read_part("bf16");
    return make_zstd(first.second, make_codec("bf16", plain->second).value());
  }
  auto inner = make_codec(first.first.name, first.second);
  if (!inner || plus == std::string_view::npos) return inner;
  KV_ASSIGN(const auto outer, read_part(text.substr(plus + 1)));
  if ((*inner)->layer_input_share() > 0)
    return fail(ErrorCode::usage, "codec '" + std::string(text) + "': nothing can follow layer_inputs");
  if ((*inner)->chunk_tokens() > 0)
    return fail(ErrorCode::usage, "codec '" + std::string(text) + "': nothing can follow token_chunks");
  if (outer.first.name != "zstd")
    return fail(ErrorCode::usage, "codec '" + std::string(text) + "': only zstd can follow another codec");
  return make_zstd(outer.second, std::move(*inner));
}

}  // namespace kvantage::inline codecs
