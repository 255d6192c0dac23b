// The three kernels between a layer's products, each against its reference over random shapes and options, and nothing
// written outside their outputs. The reference is exact but for its last rounding; a kernel sums in fp32. Where that
// is off by at most d, its bf16 is within d and half a last bit of each of the two, 2^-8 of the number, and rarely is
// another one. How large d may be is said at each kernel: by the terms that a number is the sum of.
#include "gpu/kernels/layer_kernels.h"

#include <cmath>

#include "tests/gpu/kernels/ragged_heads.h"

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr std::uint16_t untouched_word = 0xabcd;
constexpr float untouched_float = 1234.5F;
std::size_t same_words = 0, all_words = 0;

std::size_t index(int number) { return static_cast<std::size_t>(number); }
bool either(Random& random) { return random.below(2) == 0; }

/// fp32, or null where there is none: of the host and of the device.
struct Floats {
  std::vector<float> host;
  gpu::DeviceArray<float> device;

  explicit Floats(std::vector<float> numbers)
      : host(std::move(numbers)), device(value_of(gpu::DeviceArray<float>::of(host))) {}
  static Floats random(Random& random, bool there, int size, float center, float spread) {
    std::vector<float> numbers(there ? index(size) : 0);
    for (float& number : numbers) number = center + spread * static_cast<float>(random.normal());
    return Floats(std::move(numbers));
  }
  const float* of(bool on_device) const { return host.empty() ? nullptr : on_device ? device.data() : host.data(); }
  double at(std::size_t i, double otherwise) const { return host.empty() ? otherwise : static_cast<double>(host[i]); }
};

/// bf16 or fp32, or none.
struct Product {
  bool wide;
  Floats floats;                     // the numbers either way
  std::vector<std::uint16_t> words;  // of bf16
  gpu::DeviceArray<std::uint16_t> device_words;

  Product(Random& random, bool there, bool is_wide, int rows, int columns, float spread)
      : wide(is_wide), floats(numbers(random, there, is_wide, rows * columns, spread)) {
    for (std::size_t i = 0; !wide && i < floats.host.size(); ++i) words.push_back(gpu::narrowed(floats.host[i]));
    device_words = value_of(gpu::DeviceArray<std::uint16_t>::of(words));
  }
  static Floats numbers(Random& random, bool there, bool wide, int count, float spread) {
    std::vector<float> made(there ? index(count) : 0);
    for (float& number : made) {
      const float drawn = spread * static_cast<float>(random.normal());
      number = wide ? drawn : gpu::widened(gpu::narrowed(drawn));
    }
    return Floats(std::move(made));
  }
  gpu::ProductRows of(bool on_device) const {
    if (floats.host.empty()) return {nullptr, wide};
    if (wide) return {floats.of(on_device), true};
    return {on_device ? device_words.data() : words.data(), false};
  }
};

/// A kernel's bf16 beside its reference's, where fp32 may be off by d.
void check_word(std::uint16_t got, std::uint16_t reference, double d, const std::string& form, const char* what,
                std::size_t at) {
  const double number = static_cast<double>(gpu::widened(got)), right = static_cast<double>(gpu::widened(reference));
  if (!(std::fabs(number - right) <= d + 0x1p-7 * std::max(std::fabs(number), std::fabs(right))))
    check(false, form + ": " + what + " " + std::to_string(at) + ": " + std::to_string(number) + " for " +
                     std::to_string(right));
  same_words += got == reference ? 1 : 0;
  ++all_words;
}
/// Those behind what was written.
template <class T>
void check_untouched(const std::vector<T>& numbers, std::size_t from, T untouched, const std::string& form,
                     const char* what) {
  for (std::size_t i = from; i < numbers.size(); ++i)
    if (numbers[i] != untouched) check(false, form + ": " + what + " behind the last row");
}

struct NormForm {
  int rows, width;
  bool wide, product, bias, norm, layer_norm, shift, in_place, normed;
  float mean = 0, spread = 1;  // of the residual stream
  std::string text() const {
    std::string all =
        "add_and_norm of " + std::to_string(rows) + " x " + std::to_string(width) + (wide ? ", fp32" : ", bf16");
    for (const auto& [there, name] : {std::pair{product, " product"},
                                      {bias, " bias"},
                                      {norm, " norm"},
                                      {layer_norm, " layer_norm"},
                                      {shift, " shift"},
                                      {in_place, " in_place"},
                                      {normed, " normed"}})
      if (there) all += name;
    return all;
  }
};

void check_norm(Random& random, const NormForm& form) {
  const std::size_t width = index(form.width), all = index(form.rows) * width;
  const Product product(random, form.product, form.wide, form.rows, form.width, form.spread);
  const Floats bias = Floats::random(random, form.product && form.bias, form.width, 0, form.spread),
               weight = Floats::random(random, form.norm, form.width, 1, 0.3F);
  const Floats shift = Floats::random(random, form.shift, form.width, 0, 1);
  std::vector<float> residual = Floats::random(random, true, form.rows * form.width, form.mean, form.spread).host;
  residual.resize(all + width, untouched_float);  // a row more than there is
  const std::vector<float> before = residual;
  std::vector<std::uint16_t> normed(all + width, untouched_word);
  const auto device_residual = value_of(gpu::DeviceArray<float>::of(residual));
  const auto device_normed = value_of(gpu::DeviceArray<std::uint16_t>::of(normed));
  const auto job = [&](bool device) {
    gpu::NormJob made;
    made.rows = form.rows, made.width = form.width, made.eps = 1e-5F, made.layer_norm = form.layer_norm,
    made.in_place = form.in_place;
    made.residual = device ? device_residual.data() : residual.data();
    made.product = product.of(device), made.bias = bias.of(device), made.weight = weight.of(device),
    made.shift = shift.of(device);
    if (form.normed) made.normed = device ? device_normed.data() : normed.data();
    return made;
  };
  gpu::add_and_norm_reference(job(false));
  must(gpu::launch_add_and_norm(job(true), nullptr));
  must(gpu::synchronize());
  const std::vector<float> got_residual = value_of(device_residual.numbers());
  const std::vector<std::uint16_t> got_normed = value_of(device_normed.numbers());

  for (std::size_t row = 0; row < index(form.rows); ++row) {
    std::vector<double> terms(width);  // magnitudes of what each number of the stream is the sum of
    double mean = 0, mean_term = 0, squares = 0;
    std::vector<double> sums(width);
    for (std::size_t i = 0; i < width; ++i) {
      const double old = static_cast<double>(before[row * width + i]), added = product.floats.at(row * width + i, 0),
                   biased = bias.at(i, 0);
      sums[i] = old + added + biased;
      terms[i] = std::fabs(old) + std::fabs(added) + std::fabs(biased);
      if (form.layer_norm) mean += sums[i] / form.width, mean_term += terms[i] / form.width;
    }
    for (const double sum : sums) squares += (sum - mean) * (sum - mean);
    const double deviation = std::sqrt(squares / form.width + 1e-5);
    for (std::size_t i = 0; i < width; ++i) {
      const std::size_t at = row * width + i;
      // Two sums round 2^-24 each, and so does the reference's result: 2^-22 of the terms. A thread of the norm adds up
      // to 16 squares or numbers, a warp 5 sums and a block 16, each off by 2^-24 of what is there: below 2^-18 of the
      // terms of the number, and of the mean where it is taken off.
      const double sum_off = form.product ? 0x1p-22 * terms[i] : 0;
      const double off =
          form.norm
              ? 0x1p-18 * ((terms[i] + mean_term) / deviation * std::fabs(weight.at(i, 1)) + std::fabs(shift.at(i, 0)))
              : sum_off;
      if (form.normed) check_word(got_normed[at], normed[at], off, form.text(), "number", at);
      if (!(std::fabs(static_cast<double>(got_residual[at]) - static_cast<double>(residual[at])) <=
            (form.in_place ? off : sum_off)))
        check(false, form.text() + ": residual " + std::to_string(at) + ": " + std::to_string(got_residual[at]) +
                         " for " + std::to_string(residual[at]));
    }
  }
  check_untouched(got_residual, all, untouched_float, form.text(), "the residual stream");
  check_untouched(got_normed, form.normed ? all : 0, untouched_word, form.text(), "the normed rows");
}

struct HeadsForm {
  int sequences, each, heads, kv_heads, head_dim;
  bool wide, bias, query_norm, key_norm, turned;
  Rows rows = Rows::dense;
  int block_tokens = 16, far = 4000;
  float spread = 1;
  std::string text() const {
    std::string all = "write_heads of " + std::to_string(sequences) + " x " + std::to_string(each) + ", heads " +
                      std::to_string(heads) + " and " + std::to_string(kv_heads) + ", head_dim " +
                      std::to_string(head_dim) + ", rows " + std::to_string(static_cast<int>(rows)) +
                      (wide ? ", fp32" : ", bf16");
    for (const auto& [there, name] :
         {std::pair{bias, " bias"}, {query_norm, " query norm"}, {key_norm, " key norm"}, {turned, " turned"}})
      if (there) all += name;
    return all;
  }
};

/// Magnitudes of what each number of a row's head is the sum of: product and bias, through the norm if there is one.
std::vector<double> head_terms(const HeadsForm& form, const Product& product, const Floats& bias, const Floats* norm,
                               int row, int head) {
  const int all = form.heads + 2 * form.kv_heads;
  const std::size_t dim = index(form.head_dim);
  std::vector<double> terms(dim);
  double squares = 0;
  for (std::size_t d = 0; d < dim; ++d) {
    const std::size_t column = index(head) * dim + d;
    const double projected = product.floats.at(index(row * all) * dim + column, 0), biased = bias.at(column, 0);
    squares += (projected + biased) * (projected + biased);
    terms[d] = std::fabs(projected) + std::fabs(biased);
  }
  if (norm != nullptr && !norm->host.empty())
    for (std::size_t d = 0; d < dim; ++d)
      terms[d] *= std::fabs(norm->at(d, 1)) / std::sqrt(squares / static_cast<double>(dim) + 1e-6);
  return terms;
}

void check_heads(Random& random, const HeadsForm& form) {
  const int rows = form.sequences * form.each, all = form.heads + 2 * form.kv_heads;
  const std::size_t dim = index(form.head_dim), queries_size = index(rows * form.heads) * dim;
  std::vector<int> kept;
  for (int head = 0; head < form.sequences * form.kv_heads; ++head)
    kept.push_back(form.each + static_cast<int>(random.below(60)));
  RaggedHeads heads = ragged_heads(random, form.head_dim, form.block_tokens, kept, form.rows);
  heads.point();
  RaggedHeads reference = heads, got = heads;
  reference.point();
  const RaggedHeads::OnDevice there = heads.on_device();

  const Product product(random, true, form.wide, rows, all * form.head_dim, form.spread);
  const Floats bias = Floats::random(random, form.bias, all * form.head_dim, 0, form.spread);
  const Floats query_norm = Floats::random(random, form.query_norm, form.head_dim, 1, 0.3F),
               key_norm = Floats::random(random, form.key_norm, form.head_dim, 1, 0.3F);
  std::vector<float> frequencies;
  for (std::size_t d = 0; form.turned && d < dim / 2; ++d)
    frequencies.push_back(std::pow(10000.0F, -2.0F * static_cast<float>(d) / static_cast<float>(dim)));
  const Floats turns(frequencies);
  std::vector<std::int32_t> positions;
  for (int s = 0; s < form.sequences; ++s)
    positions.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(form.far))));
  const auto device_positions = value_of(gpu::DeviceArray<std::int32_t>::of(positions));
  std::vector<std::uint16_t> queries(queries_size + dim, untouched_word);
  const auto device_queries = value_of(gpu::DeviceArray<std::uint16_t>::of(queries));
  const auto job = [&](bool device) {
    gpu::HeadsJob made;
    made.rows = rows, made.each = form.each, made.heads = form.heads, made.kv_heads = form.kv_heads,
    made.head_dim = form.head_dim, made.eps = 1e-6F;
    made.product = product.of(device), made.bias = bias.of(device), made.query_norm = query_norm.of(device),
    made.key_norm = key_norm.of(device);
    made.frequencies = turns.of(device), made.positions = device ? device_positions.data() : positions.data();
    made.queries = device ? device_queries.data() : queries.data(), made.cache = device ? there.heads : reference.host;
    return made;
  };
  gpu::write_heads_reference(job(false));
  must(gpu::launch_write_heads(job(true), nullptr));
  must(gpu::synchronize());
  got.arena = value_of(there.arena.numbers());
  got.point();
  const std::vector<std::uint16_t> got_queries = value_of(device_queries.numbers());

  // A sum of bias, a norm and a rotation with the device's sines: each rounds a few times 2^-24 of the terms, together
  // below 2^-20; of a pair that turns, both are terms.
  const auto check_row = [&](const std::uint16_t* number, const std::uint16_t* right, int row, int head,
                             const Floats* norm, bool turned, const char* what) {
    const std::vector<double> terms = head_terms(form, product, bias, norm, row, head);
    for (std::size_t d = 0; d < dim; ++d)
      check_word(number[d], right[d], 0x1p-20 * (terms[d] + (turned ? terms[(d + dim / 2) % dim] : 0)), form.text(),
                 what, d);
  };
  for (int row = 0; row < rows; ++row) {
    for (int head = 0; head < form.heads; ++head) {
      const std::size_t at = index(row * form.heads + head) * dim;
      check_row(&got_queries[at], &queries[at], row, head, &query_norm, form.turned, "query, channel");
    }
    const int sequence = row / form.each, number = row % form.each;
    for (int kv_head = 0; kv_head < form.kv_heads; ++kv_head) {
      const int cached = sequence * form.kv_heads + kv_head, token = kept[index(cached)] - form.each + number;
      check_row(got.host.key(cached, token), reference.host.key(cached, token), row, form.heads + kv_head, &key_norm,
                form.turned, "key, channel");
      check_row(got.host.value(cached, token), reference.host.value(cached, token), row,
                form.heads + form.kv_heads + kv_head, nullptr, false, "value, channel");
      check(*got.host.position(cached, token) == positions[index(sequence)] + number,
            form.text() + ": the position of row " + std::to_string(row));
      check(*reference.host.position(cached, token) == positions[index(sequence)] + number,
            form.text() + ": the reference's position of row " + std::to_string(row));
      for (const RaggedHeads* const of :
           {&heads, &reference, &got}) {  // what may differ, so that all the rest must not
        std::fill_n(of->host.key(cached, token), dim, std::uint16_t{0});
        std::fill_n(of->host.value(cached, token), dim, std::uint16_t{0});
        *of->host.position(cached, token) = 0;
      }
    }
  }
  check(got.arena == heads.arena, form.text() + ": something else of the arena is written");
  check(reference.arena == heads.arena, form.text() + ": the reference writes something else of the arena");
  check_untouched(got_queries, queries_size, untouched_word, form.text(), "the queries");
}

struct ActivationForm {
  int rows, width;
  bool wide, gated, bias;
  float spread = 1;
  std::string text() const {
    return "activation of " + std::to_string(rows) + " x " + std::to_string(width) + (wide ? ", fp32" : ", bf16") +
           (gated ? " gated" : "") + (bias ? " bias" : "");
  }
};

void check_activation(Random& random, const ActivationForm& form) {
  const std::size_t width = index(form.width), wide = form.gated ? 2 * width : width, all = index(form.rows) * width;
  const Product product(random, true, form.wide, form.rows, static_cast<int>(wide), form.spread);
  const Floats bias = Floats::random(random, form.bias, static_cast<int>(wide), 0, form.spread);
  std::vector<std::uint16_t> out(all + width, untouched_word);
  const auto device_out = value_of(gpu::DeviceArray<std::uint16_t>::of(out));
  const auto job = [&](bool device) {
    gpu::ActivationJob made;
    made.rows = form.rows, made.width = form.width, made.gated = form.gated, made.product = product.of(device),
    made.bias = bias.of(device);
    made.out = device ? device_out.data() : out.data();
    return made;
  };
  gpu::activation_reference(job(false));
  must(gpu::launch_activation(job(true), nullptr));
  must(gpu::synchronize());
  const std::vector<std::uint16_t> got = value_of(device_out.numbers());
  for (std::size_t row = 0; row < index(form.rows); ++row)
    for (std::size_t i = 0; i < width; ++i) {
      // silu is no larger than what goes in and at most 1.1 times as steep; sums, exponential, quotient and product
      // round less than 2^-20 together.
      const auto terms = [&](std::size_t column) {
        return std::fabs(product.floats.at(row * wide + column, 0)) + std::fabs(bias.at(column, 0));
      };
      const double off = 0x1p-20 * terms(i) * (form.gated ? terms(width + i) : 1);
      check_word(got[row * width + i], out[row * width + i], off, form.text(), "number", row * width + i);
    }
  check_untouched(got, all, untouched_word, form.text(), "the active rows");
}

void check_norms(Random& random) {
  for (const int width : {4, 8, 12, 60, 128, 132, 516, 1000, 2044, 2048, 2052, 4096, 8192, 8196})
    for (int turn = 0; turn < 6; ++turn) {
      const bool norm = turn != 5;
      check_norm(random, {.rows = 1 + static_cast<int>(random.below(4)),
                          .width = width,
                          .wide = turn % 2 == 0,
                          .product = turn != 4,
                          .bias = either(random),
                          .norm = norm,
                          .layer_norm = turn % 4 >= 2,
                          .shift = norm && turn % 4 >= 2,
                          .in_place = either(random),
                          .normed = true,
                          .spread = turn == 1 ? 1e-3F : 1});  // small: eps counts
    }
  for (const bool wide : {false, true})
    for (const bool in_place : {false, true}) {
      check_norm(random, {3, 768, wide, true, true, true, true, true, in_place, true,
                          300});  // a mean that would swallow what differs
      check_norm(random,
                 {2, 768, wide, true, true, true, true, false, in_place, true, -20});       // LayerNorm without a shift
      check_norm(random, {2, 512, wide, true, false, true, false, true, in_place, true});   // a shift after an RMSNorm
      check_norm(random, {2, 260, wide, true, true, true, false, false, in_place, false});  // no rows to multiply
      check_norm(random, {2, 260, wide, true, true, false, false, false, in_place, false});  // the sum alone
    }
}

void check_all_heads(Random& random) {
  for (const int head_dim : {8, 16, 24, 32, 40, 64, 80, 96, 128, 192, 248, 256})
    for (const Rows rows : {Rows::dense, Rows::holes, Rows::scrambled}) {
      const int kv_heads = 1 + static_cast<int>(random.below(3)),
                group = rows == Rows::dense ? 1 : 1 + static_cast<int>(random.below(4));
      check_heads(random, {.sequences = 1 + static_cast<int>(random.below(4)),
                           .each = rows == Rows::holes ? 1 : 1 + static_cast<int>(random.below(20)),
                           .heads = kv_heads * group,
                           .kv_heads = kv_heads,
                           .head_dim = head_dim,
                           .wide = either(random),
                           .bias = either(random),
                           .query_norm = either(random),
                           .key_norm = either(random),
                           .turned = rows != Rows::holes || either(random),
                           .rows = rows,
                           .block_tokens = either(random) ? 16 : 32});
    }
  for (const bool wide : {false, true}) {
    check_heads(random, {3, 1, 8, 2, 128, wide, false, true, true, true, Rows::dense});        // Qwen3, a decode step
    check_heads(random, {1, 70, 4, 4, 64, wide, true, false, false, false, Rows::dense});      // OPT, a chunk
    check_heads(random, {1, 33, 14, 2, 64, wide, true, false, false, true, Rows::scrambled});  // Qwen2
    check_heads(random, {2, 5, 4, 2, 80, wide, false, true, false, true, Rows::holes});        // one norm of the two
    check_heads(random, {2, 5, 4, 2, 80, wide, true, false, true, true, Rows::holes});         //
    check_heads(random, {2, 3, 6, 3, 128, wide, false, true, true, true, Rows::dense, 16,
                         1 << 20});  // angles that need the slow reduction
    check_heads(random,
                {2, 3, 2, 1, 96, wide, true, true, true, true, Rows::scrambled, 32, 4000, 1e-3F});  // small: eps counts
  }
}

void check_activations(Random& random) {
  for (const int width : {4, 12, 512, 516, 1000, 4864, 8192})
    for (const bool gated : {false, true})
      for (const bool bias : {false, true})
        check_activation(random, {1 + static_cast<int>(random.below(3)), width, either(random), gated, bias,
                                  either(random) ? 1.0F : 30.0F});  // 30: exponentials out of range
  for (const bool wide : {false, true})
    for (const int rows : {127, 128, 131})
      check_activation(random, {rows, 1028, wide, rows != 127, rows != 128});  // from 128 on a row has one block
}

/// Refused before anything is read: there are no addresses in these.
void check_refusals() {
  const auto refused = [](const Status& status, const std::string& what) {
    check(!status && status.error().code == ErrorCode::usage, what + " is taken");
  };
  for (const int width : {0, 2, 6, 4097}) {
    gpu::NormJob norm;
    gpu::ActivationJob activation;
    norm.rows = activation.rows = 1, norm.width = activation.width = width;
    refused(gpu::launch_add_and_norm(norm, nullptr), "add_and_norm: a width of " + std::to_string(width));
    refused(gpu::launch_activation(activation, nullptr), "activation: a width of " + std::to_string(width));
  }
  gpu::HeadsJob heads;
  heads.rows = heads.heads = heads.kv_heads = heads.cache.heads = 1, heads.cache.block_tokens = 16;
  for (const int head_dim : {0, 4, 12, 130, 264}) {
    heads.head_dim = heads.cache.head_dim = head_dim;
    refused(gpu::launch_write_heads(heads, nullptr), "write_heads: a head_dim of " + std::to_string(head_dim));
  }
  heads.head_dim = heads.cache.head_dim = 64;
  gpu::ActivationJob activation;
  activation.width = 4;
  for (const int rows : {-1, 65536}) {
    heads.rows = activation.rows = rows;
    refused(gpu::launch_write_heads(heads, nullptr), "write_heads: " + std::to_string(rows) + " rows");
    refused(gpu::launch_activation(activation, nullptr), "activation: " + std::to_string(rows) + " rows");
  }
  gpu::NormJob norm;
  norm.width = 4, norm.rows = -1;
  refused(gpu::launch_add_and_norm(norm, nullptr), "add_and_norm: -1 rows");
  heads.rows = 3, heads.each = 2;
  refused(gpu::launch_write_heads(heads, nullptr), "write_heads: three rows in twos");
  heads.each = 0;
  refused(gpu::launch_write_heads(heads, nullptr), "write_heads: no row of a sequence");
  heads.each = 1, heads.head_dim = 32;
  refused(gpu::launch_write_heads(heads, nullptr), "write_heads: another head_dim than the cache's");
}

}  // namespace

int main() {
  need_device();
  Random random(57);
  check_norms(random);
  check_all_heads(random);
  check_activations(random);
  check(same_words * 1000 >= all_words * 998, "998 of 1,000 numbers have the bits of the reference: " +
                                                  std::to_string(same_words) + " of " + std::to_string(all_words));
  std::printf("%zu of %zu numbers have the bits of the reference\n", same_words, all_words);
  // No rows: nothing is written.
  check_norm(random, {0, 64, false, true, true, true, false, false, true, true});
  check_norm(random, {0, 64, true, false, false, false, false, false, false, true});
  check_heads(random, {0, 1, 4, 2, 64, false, true, true, true, true});
  check_heads(random, {0, 1, 4, 2, 64, true, false, false, false, false});
  for (const bool gated : {false, true}) check_activation(random, {0, 64, gated, gated, true});
  check_refusals();
  return end();
}
