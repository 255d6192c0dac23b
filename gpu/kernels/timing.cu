#include "gpu/kernels/timing.h"

#include <chrono>
#include <cstring>
#include <utility>

#include "gpu/kernels/cuda_check.h"

namespace kvantage::gpu {

#ifdef __CUDACC__
namespace {

struct Event {
  cudaEvent_t event = nullptr;
  Event() = default;
  Event(Event&& other) noexcept : event(std::exchange(other.event, nullptr)) {}
  Event& operator=(Event&&) = delete;
  ~Event() {
    if (event != nullptr) cudaEventDestroy(event);
  }
};

}  // namespace

Expected<double> seconds_of(Stream stream, const std::function<Status()>& work) {
  Event begin, end;
  KV_TRY(check(cudaEventCreate(&begin.event), "an event"));
  KV_TRY(check(cudaEventCreate(&end.event), "an event"));
  KV_TRY(check(cudaEventRecord(begin.event, static_cast<cudaStream_t>(stream)), "an event"));
  KV_TRY(work());
  KV_TRY(check(cudaEventRecord(end.event, static_cast<cudaStream_t>(stream)), "an event"));
  KV_TRY(check(cudaEventSynchronize(end.event), "what was timed"));
  float milliseconds = 0;
  KV_TRY(check(cudaEventElapsedTime(&milliseconds, begin.event, end.event), "an event"));
  return static_cast<double>(milliseconds) / 1e3;
}
Expected<std::vector<double>> seconds_of_each(Stream stream, int times, const std::function<Status()>& work) {
  std::vector<Event> events(static_cast<std::size_t>(times) + 1);
  for (Event& event : events) KV_TRY(check(cudaEventCreate(&event.event), "an event"));
  KV_TRY(work());  // for the first one to be submitted while the device works
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (i > 0) KV_TRY(work());
    KV_TRY(check(cudaEventRecord(events[i].event, static_cast<cudaStream_t>(stream)), "an event"));
  }
  KV_TRY(check(cudaEventSynchronize(events.back().event), "what was timed"));
  std::vector<double> seconds;
  for (std::size_t i = 1; i < events.size(); ++i) {
    float milliseconds = 0;
    KV_TRY(check(cudaEventElapsedTime(&milliseconds, events[i - 1].event, events[i].event), "an event"));
    seconds.push_back(static_cast<double>(milliseconds) / 1e3);
  }
  return seconds;
}
Status copy_within(void* to, const void* from, std::size_t bytes, Stream stream) {
  return check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, static_cast<cudaStream_t>(stream)),
               "a copy within the device");
}
std::string device_name() {
  cudaDeviceProp properties;
  return cudaGetDeviceProperties(&properties, 0) == cudaSuccess ? properties.name : "unknown device";
}
#else
Expected<double> seconds_of(Stream, const std::function<Status()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  KV_TRY(work());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}
Expected<std::vector<double>> seconds_of_each(Stream stream, int times, const std::function<Status()>& work) {
  std::vector<double> seconds;
  for (int i = 0; i < times; ++i) {
    KV_ASSIGN(seconds.emplace_back(), seconds_of(stream, work));
  }
  return seconds;
}
Status copy_within(void* to, const void* from, std::size_t bytes, Stream) {
  std::memcpy(to, from, bytes);
  return {};
}
std::string device_name() { return "emulated"; }
#endif

}  // namespace kvantage::gpu
