// Norms, rotations and the MLP's gate: the operations between the matrix products.

inline float mean_of_squares(const float* x, int size) {
  Vec sum = Vec::zero();
  int i = 0;
  for (; i + Vec::lanes <= size; i += Vec::lanes) {
    const Vec v = Vec::load(x + i);
    sum = fma(v, v, sum);
  }
  if (i < size) {
    const Vec v = Vec::load_first(x + i, size - i);
    sum = fma(v, v, sum);
  }
  return sum.sum() / static_cast<float>(size);
}

template <class T>
void rms_norm_to(const float* x, const float* weight, int size, float eps, T* output) {
  const Vec scale = Vec::set1(1.0F / __builtin_sqrtf(mean_of_squares(x, size) + eps));
  for (int i = 0; i < size; i += Vec::lanes) {
    const int present = least(Vec::lanes, size - i);
    if (present == Vec::lanes)
      (Vec::load(x + i) * scale * Vec::load(weight + i)).store(output + i);
    else
      store_first(Vec::load_first(x + i, present) * scale * Vec::load_first(weight + i, present), output + i, present);
  }
}

void rms_norm(const float* x, const float* weight, int size, float eps, void* output, Element type) {
  if (type == Element::fp32) return rms_norm_to(x, weight, size, eps, static_cast<float*>(output));
  rms_norm_to(x, weight, size, eps, static_cast<Bf16*>(output));
}

template <class T>
void layer_norm_to(const float* x, const float* weight, const float* bias, int size, float eps, T* output) {
  Vec sum = Vec::zero();
  for (int i = 0; i < size; i += Vec::lanes) sum = sum + Vec::load_first(x + i, least(Vec::lanes, size - i));
  const Vec mean = Vec::set1(sum.sum() / static_cast<float>(size));
  Vec squares = Vec::zero();  // around the mean: a large mean would cancel the significant digits
  for (int i = 0; i < size; i += Vec::lanes) {
    const int present = least(Vec::lanes, size - i);
    const Vec apart = (Vec::load_first(x + i, present) - mean).first(present, 0.0F);
    squares = fma(apart, apart, squares);
  }
  const Vec scale = Vec::set1(1.0F / __builtin_sqrtf(squares.sum() / static_cast<float>(size) + eps));
  for (int i = 0; i < size; i += Vec::lanes) {
    const int present = least(Vec::lanes, size - i);
    const Vec unit = (Vec::load_first(x + i, present) - mean) * scale;
    store_first(fma(unit, Vec::load_first(weight + i, present), Vec::load_first(bias + i, present)), output + i,
                present);
  }
}

void layer_norm(const float* x, const float* weight, const float* bias, int size, float eps, void* output,
                Element type) {
  if (type == Element::fp32) return layer_norm_to(x, weight, bias, size, eps, static_cast<float*>(output));
  layer_norm_to(x, weight, bias, size, eps, static_cast<Bf16*>(output));
}

template <class In, class Out>
void head_pass_of(const HeadPass& job) {
  const int half = job.head_dim / 2;
  alignas(64) float row[1024];
  alignas(64) float turned[1024];
  for (int t = 0; t < job.tokens; ++t) {
    for (int h = 0; h < job.heads; ++h) {
      const std::ptrdiff_t offset = (static_cast<std::ptrdiff_t>(t) * job.heads + h) * job.head_dim;
      const In* input = static_cast<const In*>(job.input) + offset;
      Out* output = static_cast<Out*>(job.output) + offset;
      for (int d = 0; d < job.head_dim; ++d) row[d] = to_float(input[d]);
      if (job.bias != nullptr) {
        const float* bias = job.bias + static_cast<std::ptrdiff_t>(h) * job.head_dim;
        for (int d = 0; d < job.head_dim; ++d) row[d] += bias[d];
      }
      if (job.norm != nullptr) rms_norm_to(row, job.norm, job.head_dim, job.eps, row);
      const float* result = row;
      if (job.cosines != nullptr) {
        const float* c = job.cosines + static_cast<std::ptrdiff_t>(t) * half;
        const float* s = job.sines + static_cast<std::ptrdiff_t>(t) * half;
        for (int d = 0; d < half; ++d) {
          turned[d] = row[d] * c[d] - row[d + half] * s[d];
          turned[d + half] = row[d + half] * c[d] + row[d] * s[d];
        }
        result = turned;
      }
      const Vec scale = Vec::set1(job.scale);
      for (int d = 0; d < job.head_dim; d += Vec::lanes)
        store_first(Vec::load(result + d) * scale, output + d, job.head_dim - d);
    }
  }
}

void head_pass(const HeadPass& job) {
  const bool from_float = job.input_type == Element::fp32;
  const bool to_float_output = job.output_type == Element::fp32;
  if (from_float && to_float_output) return head_pass_of<float, float>(job);
  if (from_float) return head_pass_of<float, Bf16>(job);
  if (to_float_output) return head_pass_of<Bf16, float>(job);
  head_pass_of<Bf16, Bf16>(job);
}

template <class T>
void silu_multiply_of(const T* gate, const T* up, T* output, std::size_t count) {
  const auto gated = [](const Vec& g, const Vec& u) {
    const Vec log2e = Vec::set1(-1.44269504F);
    return g / (Vec::set1(1.0F) + exp2(g * log2e)) * u;
  };
  std::size_t i = 0;
  for (; i + Vec::lanes <= count; i += Vec::lanes) gated(Vec::load(gate + i), Vec::load(up + i)).store(output + i);
  const int rest = static_cast<int>(count - i);
  if (rest > 0) store_first(gated(Vec::load_first(gate + i, rest), Vec::load_first(up + i, rest)), output + i, rest);
}

/// x / (1 + exp(-factor * x)).
inline Vec sigmoid_times(const Vec& x, float factor) {
  return x / (Vec::set1(1.0F) + exp2(x * Vec::set1(-1.44269504F * factor)));
}

struct SiluOf {
  Vec operator()(const Vec& x) const { return sigmoid_times(x, 1.0F); }
};
struct ReluOf {
  Vec operator()(const Vec& x) const { return max(x, Vec::zero()); }
};
/// 0.5 x (1 + tanh(z)) = x / (1 + exp(-2 z)) with z = sqrt(2 / pi) (x + 0.044715 x^3).
struct GeluTanhOf {
  Vec operator()(const Vec& x) const {
    const Vec inner = x * fma(x * x, Vec::set1(0.044715F), Vec::set1(1.0F));
    return x / (Vec::set1(1.0F) + exp2(inner * Vec::set1(-2.0F * 0.7978845608F * 1.44269504F)));
  }
};
/// 0.5 x (1 + erf(x / sqrt(2))), lane by lane.
struct GeluOf {
  Vec operator()(const Vec& x) const {
    alignas(64) float lanes[Vec::lanes];
    x.store(lanes);
    for (int i = 0; i < Vec::lanes; ++i) lanes[i] = 0.5F * lanes[i] * (1.0F + __builtin_erff(lanes[i] * 0.70710678F));
    return Vec::load(lanes);
  }
};

template <class T, class Form>
void map_values(T* x, std::size_t count, const Form& form) {
  std::size_t i = 0;
  for (; i + Vec::lanes <= count; i += Vec::lanes) form(Vec::load(x + i)).store(x + i);
  const int rest = static_cast<int>(count - i);
  if (rest > 0) store_first(form(Vec::load_first(x + i, rest)), x + i, rest);
}

template <class Form>
struct GateOf {
  Form form;
  Vec operator()(const Vec& gate, const Vec& up) const { return form(gate) * up; }
};
struct ClampedSwiglu {
  Vec operator()(const Vec& gate, const Vec& up) const {
    const Vec limit = Vec::set1(7.0F), low = Vec::set1(-7.0F);
    const Vec bounded = max(min(up, limit), low) + Vec::set1(1.0F);
    return bounded * sigmoid_times(min(gate, limit), 1.702F);
  }
};

template <class T, class Form>
void map_pairs(const T* gate, const T* up, T* output, std::size_t count, const Form& form) {
  std::size_t i = 0;
  for (; i + Vec::lanes <= count; i += Vec::lanes) form(Vec::load(gate + i), Vec::load(up + i)).store(output + i);
  const int rest = static_cast<int>(count - i);
  if (rest > 0) store_first(form(Vec::load_first(gate + i, rest), Vec::load_first(up + i, rest)), output + i, rest);
}

template <class T>
void gated_of(Activation activation, const T* gate, const T* up, T* output, std::size_t count) {
  switch (activation) {
    case Activation::silu:
      return silu_multiply_of(gate, up, output, count);
    case Activation::relu:
      return map_pairs(gate, up, output, count, GateOf<ReluOf>{});
    case Activation::gelu:
      return map_pairs(gate, up, output, count, GateOf<GeluOf>{});
    case Activation::gelu_tanh:
      return map_pairs(gate, up, output, count, GateOf<GeluTanhOf>{});
    case Activation::clamped_swiglu:
      return map_pairs(gate, up, output, count, ClampedSwiglu{});
  }
}

void gated(Activation activation, const void* gate, const void* up, void* output, std::size_t count, Element type) {
  if (type == Element::fp32)
    return gated_of(activation, static_cast<const float*>(gate), static_cast<const float*>(up),
                    static_cast<float*>(output), count);
  gated_of(activation, static_cast<const Bf16*>(gate), static_cast<const Bf16*>(up), static_cast<Bf16*>(output), count);
}

template <class T>
void activate_of(Activation activation, T* x, std::size_t count) {
  switch (activation) {
    case Activation::silu:
      return map_values(x, count, SiluOf{});
    case Activation::gelu:
      return map_values(x, count, GeluOf{});
    case Activation::gelu_tanh:
      return map_values(x, count, GeluTanhOf{});
    case Activation::relu:
    case Activation::clamped_swiglu:
      return map_values(x, count, ReluOf{});
  }
}

void activate(Activation activation, void* x, std::size_t count, Element type) {
  if (type == Element::fp32) return activate_of(activation, static_cast<float*>(x), count);
  activate_of(activation, static_cast<Bf16*>(x), count);
}

template <class T>
void add_of(float* x, const T* y, const float* bias, int rows, int size) {
  for (int r = 0; r < rows; ++r) {
    float* x_row = x + static_cast<std::ptrdiff_t>(r) * size;
    const T* y_row = y + static_cast<std::ptrdiff_t>(r) * size;
    for (int i = 0; i < size; ++i) x_row[i] += to_float(y_row[i]) + (bias == nullptr ? 0.0F : bias[i]);
  }
}

void add(float* x, const void* y, const float* bias, int rows, int size, Element type) {
  if (type == Element::fp32) return add_of(x, static_cast<const float*>(y), bias, rows, size);
  add_of(x, static_cast<const Bf16*>(y), bias, rows, size);
}
