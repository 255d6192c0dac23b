#include "core/model/kernels/scratch.h"

#include <memory>
#include <new>

namespace kvantage::inline model_kernels {
namespace {

struct Release {
  void operator()(std::byte* bytes) const { ::operator delete[](bytes, std::align_val_t{64}); }
};

}  // namespace

std::byte* kernel_scratch(std::size_t bytes) {
  thread_local std::unique_ptr<std::byte[], Release> buffer;
  thread_local std::size_t size = 0;
  if (bytes > size) {
    buffer.reset(static_cast<std::byte*>(::operator new[](bytes, std::align_val_t{64})));
    size = bytes;
  }
  return buffer.get();
}

}  // namespace kvantage::inline model_kernels
