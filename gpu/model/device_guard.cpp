#include "gpu/model/device_guard.h"

#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "core/model/transformer_impl.h"

namespace kvantage::gpu {

Status device_guarded(const std::function<Status()>& body) {
  return guarded([&]() -> Status {
    try {
      return body();
    } catch (const c10::OutOfMemoryError& error) {
      const std::string text = error.what_without_backtrace();
      return fail(ErrorCode::no_space, "model on a device: out of memory (" + text.substr(0, text.find('\n')) +
                                           "); use a smaller cache, chunk or model");
    }
  });
}

std::vector<float> in_host_memory(const at::Tensor& numbers) {
  if (!numbers.defined()) return {};
  const at::Tensor host = numbers.to(at::kCPU).contiguous();
  const auto* first = host.const_data_ptr<float>();
  return {first, first + host.numel()};
}

DeviceStreams::DeviceStreams(at::Device device) : device_(device) {
  if (device.is_cpu()) return;
  const c10::impl::VirtualGuardImpl there(device.type());
  compute_ = there.getStreamFromGlobalPool(device);
  copy_ = there.getStreamFromGlobalPool(device);
}

Status DeviceStreams::compute(const std::function<Status()>& body) const {
  return device_guarded([&]() -> Status {
    const c10::OptionalStreamGuard guard(compute_);
    return body();
  });
}

Stream DeviceStreams::compute_handle() const { return compute_ ? compute_->native_handle() : nullptr; }

Stream DeviceStreams::copy_handle() const { return copy_ ? copy_->native_handle() : nullptr; }

void DeviceStreams::copies_wait() const {
  if (!copy_) return;
  c10::Event now(device_.type());
  now.record(*compute_);
  now.block(*copy_);
}

void DeviceStreams::synchronize() const {
  if (!compute_) return;
  copy_->synchronize();
  compute_->synchronize();
}

MemoryGivenBack::~MemoryGivenBack() {
  if (device_.is_cpu()) return;
  (void)device_guarded([&]() -> Status {
    at::getDeviceAllocator(device_.type())->emptyCache();
    return {};
  });
}

void CopyMark::record(const DeviceStreams& streams) {
  if (!streams.copying()) return;
  event_.emplace(streams.device().type());
  event_->record(*streams.copying());
}

void CopyMark::compute_waits(const DeviceStreams& streams) const {
  if (!event_ || event_->query()) return;
  StreamSpan waiting(streams.computing());
  event_->block(*streams.computing());
  waiting.end();
  streams.meter().waited(std::move(waiting));
}

void CopyMark::wait() const {
  if (event_) event_->synchronize();
}

}  // namespace kvantage::gpu
