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

template <class T>
void relu_of(T* x, std::size_t count) {
  std::size_t i = 0;
  for (; i + Vec::lanes <= count; i += Vec::lanes) max(Vec::load(x + i), Vec::zero()).store(x + i);
  const int rest = static_cast<int>(count - i);
  if (rest > 0) store_first(max(Vec::load_first(x + i, rest), Vec::zero()), x + i, rest);
}

void relu(void* x, std::size_t count, Element type) {
  if (type == Element::fp32) return relu_of(static_cast<float*>(x), count);
  relu_of(static_cast<Bf16*>(x), count);
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

void silu_multiply(const void* gate, const void* up, void* output, std::size_t count, Element type) {
  if (type == Element::fp32)
    return silu_multiply_of(static_cast<const float*>(gate), static_cast<const float*>(up), static_cast<float*>(output),
                            count);
  silu_multiply_of(static_cast<const Bf16*>(gate), static_cast<const Bf16*>(up), static_cast<Bf16*>(output), count);
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
