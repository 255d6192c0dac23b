// Keys and values from layer inputs: the kernel against its reference, into scattered blocks, and nothing else touched.
#include "gpu/kernels/recompute_kv.h"

#include "tests/gpu/kernels/ragged_heads.h"

using namespace kvantage;
using namespace kvantage::test;

namespace {

struct Layer {
  std::vector<std::uint16_t> key, value, inputs;
  std::vector<float> key_bias, value_bias, key_norm, frequencies;
  std::vector<std::int32_t> positions;
  int hidden = 0;

  gpu::KvProjection projection() const {
    const auto or_null = [](const std::vector<float>& numbers) { return numbers.empty() ? nullptr : numbers.data(); };
    return {key.data(),        value.data(), or_null(key_bias),    or_null(value_bias),
            or_null(key_norm), 1e-6F,        or_null(frequencies), hidden};
  }
  gpu::LayerInputs of_tokens() const { return {inputs.data(), positions.data(), static_cast<int>(positions.size())}; }
};

struct Form {
  int head_dim, heads, hidden, tokens, first_token;
  bool biases, norm, rotated;
  std::string text() const {
    return "head_dim " + std::to_string(head_dim) + ", hidden " + std::to_string(hidden) + ", tokens " +
           std::to_string(tokens);
  }
};

Layer random_layer(Random& random, const Form& form) {
  Layer layer;
  layer.hidden = form.hidden;
  const auto matrix = [&](std::size_t rows, float spread) {
    std::vector<std::uint16_t> numbers(rows * static_cast<std::size_t>(form.hidden));
    for (std::uint16_t& number : numbers) number = gpu::narrowed(spread * static_cast<float>(random.normal()));
    return numbers;
  };
  const auto vector = [&](bool there, int size, float center) {
    std::vector<float> numbers(there ? static_cast<std::size_t>(size) : 0);
    for (float& number : numbers) number = center + 0.3F * static_cast<float>(random.normal());
    return numbers;
  };
  const int width = form.head_dim * form.heads;
  const float spread = 1 / std::sqrt(static_cast<float>(form.hidden));
  layer.key = matrix(static_cast<std::size_t>(width), spread);
  layer.value = matrix(static_cast<std::size_t>(width), spread);
  layer.inputs = matrix(static_cast<std::size_t>(form.tokens), 1);
  layer.key_bias = vector(form.biases, width, 0);
  layer.value_bias = vector(form.biases, width, 0);
  layer.key_norm = vector(form.norm, form.head_dim, 1);
  for (int f = 0; form.rotated && f < form.head_dim / 2; ++f)
    layer.frequencies.push_back(std::pow(10000.0F, -2.0F * static_cast<float>(f) / static_cast<float>(form.head_dim)));
  for (int token = 0; token < form.tokens; ++token) layer.positions.push_back(37 + token * 2 + token % 3);
  return layer;
}

RaggedHeads of_kernel(const RaggedHeads& heads, const Layer& layer, int first_token) {
  const auto there = heads.on_device();
  const auto key = value_of(gpu::DeviceArray<std::uint16_t>::of(layer.key)),
             value = value_of(gpu::DeviceArray<std::uint16_t>::of(layer.value));
  const auto inputs = value_of(gpu::DeviceArray<std::uint16_t>::of(layer.inputs));
  const auto positions = value_of(gpu::DeviceArray<std::int32_t>::of(layer.positions));
  const auto key_bias = value_of(gpu::DeviceArray<float>::of(layer.key_bias)),
             value_bias = value_of(gpu::DeviceArray<float>::of(layer.value_bias));
  const auto key_norm = value_of(gpu::DeviceArray<float>::of(layer.key_norm)),
             frequencies = value_of(gpu::DeviceArray<float>::of(layer.frequencies));
  const auto or_null = [](const auto& array) { return array.size() == 0 ? nullptr : array.data(); };
  const gpu::KvProjection projection{key.data(),        value.data(), or_null(key_bias),    or_null(value_bias),
                                     or_null(key_norm), 1e-6F,        or_null(frequencies), layer.hidden};
  must(gpu::launch_recompute_kv({inputs.data(), positions.data(), static_cast<int>(layer.positions.size())}, projection,
                                there.heads, first_token, nullptr));
  must(gpu::synchronize());
  RaggedHeads result = heads;
  result.arena = value_of(there.arena.numbers());
  result.point();
  return result;
}

void check_form(Random& random, const Form& form) {
  const Layer layer = random_layer(random, form);
  RaggedHeads heads = ragged_heads(
      random, form.head_dim, 16,
      std::vector<int>(static_cast<std::size_t>(form.heads), form.first_token + form.tokens + 5), Rows::scrambled);
  heads.point();
  RaggedHeads expected = heads;
  expected.point();
  gpu::recompute_kv_reference(layer.of_tokens(), layer.projection(), expected.host, form.first_token);
  RaggedHeads out = of_kernel(heads, layer, form.first_token);
  // A product may be the next bf16 (2^-8 of it); with the rotation both of a pair enter, and the result is rounded
  // (2^-9). A product near 0 beside large terms is off by fp32's sums; beside a bias of about 1 that it nearly cancels,
  // by its own last bit.
  const float apart = form.biases ? 0x1p-8F : 1e-5F;
  const auto close = [&](const std::uint16_t* row, const std::uint16_t* right, int i, bool turned) {
    const auto half = static_cast<std::size_t>(form.head_dim / 2), at = static_cast<std::size_t>(i),
               partner = at < half ? at + half : at - half;
    const float number = gpu::widened(right[at]), other = turned ? std::fabs(gpu::widened(right[partner])) : 0.0F;
    return std::fabs(gpu::widened(row[at]) - number) <= 0x1p-7F * (std::fabs(number) + other) + apart;
  };
  std::size_t same = 0, all = 0;
  for (int head = 0; head < form.heads; ++head)
    for (int token = 0; token < form.tokens; ++token) {
      const int at = form.first_token + token;
      check(*out.host.position(head, at) == *expected.host.position(head, at),
            form.text() + ": the position of token " + std::to_string(token));
      for (int i = 0; i < form.head_dim; ++i) {
        const auto n = static_cast<std::size_t>(i);
        check(close(out.host.key(head, at), expected.host.key(head, at), i, form.rotated),
              form.text() + ": key " + std::to_string(token) + ", channel " + std::to_string(i));
        check(close(out.host.value(head, at), expected.host.value(head, at), i, false),
              form.text() + ": value " + std::to_string(token) + ", channel " + std::to_string(i));
        same += static_cast<std::size_t>(out.host.key(head, at)[n] == expected.host.key(head, at)[n]) +
                static_cast<std::size_t>(out.host.value(head, at)[n] == expected.host.value(head, at)[n]);
        all += 2;
      }
      for (auto* const row : {out.host.key(head, at), out.host.value(head, at)})
        std::fill_n(row, form.head_dim, std::uint16_t{0});
      for (auto* const row : {expected.host.key(head, at), expected.host.value(head, at)})
        std::fill_n(row, form.head_dim, std::uint16_t{0});
    }
  check(out.arena == expected.arena, form.text() + ": nothing else is written");
  check(static_cast<double>(same) >= 0.99 * static_cast<double>(all),
        form.text() + ": 99 of 100 numbers have the bits of the reference: " + std::to_string(same) + " of " +
            std::to_string(all));
}

}  // namespace

int main() {
  need_device();
  Random random(31);
  for (const Form& form :
       {Form{64, 3, 96, 150, 0, true, false, false},    // OPT: biases, nothing turns
        Form{128, 2, 200, 131, 7, false, false, true},  // Llama; the last tile of channels is not whole
        Form{128, 1, 64, 5, 40, false, true, true},     // Qwen3: k norm
        Form{32, 2, 24, 33, 3, true, false, true},      // Qwen2, padded
        Form{80, 1, 48, 20, 1, true, true, true}, Form{256, 1, 40, 129, 0, false, true, true}})
    check_form(random, form);
  RaggedHeads heads = ragged_heads(random, 64, 16, {4}, Rows::dense);
  heads.point();
  check(!gpu::launch_recompute_kv({nullptr, nullptr, 3}, {.hidden = 12}, heads.host, 0, nullptr),
        "a hidden of no whole eights is refused");
  return end();
}
