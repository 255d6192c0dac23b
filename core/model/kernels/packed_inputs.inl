// Inputs of packed products, rounded as ggml does: to multiples of a scale, the largest number of a block to 127 of
// them.

struct InputScale {
  float scale;    // NaN if a number is not finite
  float inverse;  // 0: all numbers round to 0
};

/// Q8_0 stores its scale in half precision, Q8_K in single.
template <class T>
inline InputScale input_scale(const T* numbers, int count, bool half) {
  Vec largest = Vec::zero(), finite = Vec::zero();
  for (int i = 0; i < count; i += Vec::lanes) {
    const Vec x = Vec::load(numbers + i);
    largest = max(largest, max(x, Vec::zero() - x));
    finite = finite + (x - x);
  }
  constexpr float steps = 127.0F, vanishing = 1e-30F;
  const float size = largest.largest(), trouble = finite.sum();
  if (trouble != 0.0F || !(size > vanishing)) return {trouble, 0.0F};
  const float inverse = steps / size;
  return {half ? rounded_to_half(size / steps) : 1.0F / inverse, inverse};
}

/// Rounds 16 numbers; returns their sums by lanes.
template <class T>
inline Vec round_sixteen(const T* numbers, float inverse, std::byte* rounded) {
  Vec sum = Vec::zero();
  for (int i = 0; i < 16; i += Vec::lanes) {
    const Vec whole = inverse == 0.0F ? Vec::zero() : round(Vec::load(numbers + i) * Vec::set1(inverse));
    store_bytes(whole, rounded + i);
    sum = sum + whole;
  }
  return sum;
}
/// Exact: all are whole numbers.
inline int sum_of_rounded(const Vec& sums) { return static_cast<int>(sums.sum()); }

template <class T>
inline void put(std::byte* at, T number) {
  __builtin_memcpy(at, &number, sizeof(number));
}

/// One input beside Q4_0 and Q5_0.
template <class T>
void round_scaled(const T* numbers, int columns, int middle, int place, std::byte* panel) {
  for (int column = 0; column < columns; column += 32, panel += 160) {
    const InputScale scale = input_scale(numbers + column, 32, true);
    const Vec first = round_sixteen(numbers + column, scale.inverse, panel + 32 * place),
              second = round_sixteen(numbers + column + 16, scale.inverse, panel + 32 * place + 16);
    put(panel + 128 + 4 * place, scale.scale);
    put(panel + 144 + 4 * place, -middle * sum_of_rounded(first + second));
  }
}

/// One input beside Q4_K and Q6_K.
template <class T>
void round_blocks(const T* numbers, int columns, bool minima, int place, std::byte* panel) {
  for (int column = 0; column < columns; column += 256, panel += minima ? 1104 : 1296) {
    const InputScale scale = input_scale(numbers + column, 256, false);
    put(panel + 1024 + 4 * place, scale.scale);
    for (int i = 0; i < span_pieces; ++i) {
      std::byte* const rounded = panel + 128 * i + 32 * place;
      const Vec first = round_sixteen(numbers + column + 32 * i, scale.inverse, rounded),
                second = round_sixteen(numbers + column + 32 * i + 16, scale.inverse, rounded + 16);
      if (minima) {
        put(panel + 1040 + 16 * (i / 2) + 4 * place + 2 * (i % 2),
            static_cast<std::int16_t>(sum_of_rounded(first + second)));
      } else {
        put(panel + 1040 + 32 * i + 4 * place, -32 * sum_of_rounded(first));
        put(panel + 1056 + 32 * i + 4 * place, -32 * sum_of_rounded(second));
      }
    }
  }
}

template <class T>
void round_inputs_of(const PackedInput& job) {
  const auto panel_bytes = static_cast<std::ptrdiff_t>(packed_input_bytes(job.type, job.columns, packed_panel));
  for (int t = job.first; t < job.last; ++t) {
    const T* const numbers = static_cast<const T*>(job.input) + t * job.stride;
    std::byte* const panel = job.panels + t / packed_panel * panel_bytes;
    const int place = t % packed_panel;
    if (job.type == PackedType::q4_0 || job.type == PackedType::q5_0)
      round_scaled(numbers, job.columns, job.type == PackedType::q4_0 ? 8 : 16, place, panel);
    else
      round_blocks(numbers, job.columns, job.type == PackedType::q4_k, place, panel);
  }
}

void round_packed_inputs(const PackedInput& job) {
  if (job.element == Element::bf16) return round_inputs_of<Bf16>(job);
  round_inputs_of<float>(job);
}
