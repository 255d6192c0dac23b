#include "tiers/uring_device.h"

#include <utility>

#include "tiers/posix_file.h"

namespace kvantage::inline tiers {
namespace {

class UringFile final : public PosixFile {
 public:
  UringFile(UniqueFd fd, std::filesystem::path path, PageCache cache, std::shared_ptr<UringDevice::Rings> rings)
      : PosixFile(std::move(fd), std::move(path), cache), rings_(std::move(rings)) {}

  Status read_many(TransferBatch& batch) override {
    if (!rings_->reads->usable()) return PosixFile::read_many(batch);
    return rings_->reads->run(*this, batch, Ring::Direction::read);
  }
  Status write_many(TransferBatch& batch) override {
    if (!rings_->writes->usable()) return PosixFile::write_many(batch);
    return rings_->writes->run(*this, batch, Ring::Direction::write);
  }

 private:
  std::shared_ptr<UringDevice::Rings> rings_;
};

}  // namespace

Expected<std::shared_ptr<UringDevice>> UringDevice::create(const UringOptions& options) {
  auto rings = std::make_shared<Rings>();
  for (std::unique_ptr<Ring>* ring : {&rings->reads, &rings->writes}) {
    KV_ASSIGN(auto made, Ring::create(options.limits));
    *ring = std::move(made);
  }
  return std::shared_ptr<UringDevice>(new UringDevice(options, std::move(rings)));
}

Expected<std::unique_ptr<DeviceFile>> UringDevice::open(const std::filesystem::path& path, bool create) {
  KV_ASSIGN(auto handle, open_handle(path, create, options_.bypass_page_cache));
  return std::make_unique<UringFile>(std::move(handle.fd), path,
                                     handle.direct ? PageCache::bypassed : PageCache::dropped, rings_);
}

std::shared_ptr<void> UringDevice::register_memory(std::span<std::byte> memory, bool for_writes) {
  if (!options_.register_memory) return nullptr;
  const auto ring = [rings = rings_, for_writes]() -> Ring& { return *(for_writes ? rings->writes : rings->reads); };
  if (!ring().register_memory(memory)) {
    refused_ = true;
    return nullptr;
  }
  registered_ = true;
  // The pointer is unused; releasing the handle is what matters.
  return {memory.data(), [ring, memory](void*) { ring().unregister_memory(memory); }};
}

std::string UringDevice::note() const {
  if (refused_)
    return registered_ ? "io_uring, not all buffers registered: too little memory may be locked"
                       : "io_uring, buffers not registered: too little memory may be locked";
  return registered_ ? "io_uring, registered buffers" : "io_uring";
}

std::shared_ptr<FileDevice> make_file_device(const UringOptions& options) {
  auto device = UringDevice::create(options);
  if (device) return *device;
  return std::make_shared<PosixDevice>(PosixDevice::Options{options.bypass_page_cache, device.error().message});
}

}  // namespace kvantage::inline tiers
