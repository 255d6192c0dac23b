#include "core/ports/file_device.h"

namespace kvantage::inline ports {

Status DeviceFile::read_many(TransferBatch& batch) {
  std::size_t index = 0;
  while (const std::optional<Transfer> transfer = batch.next()) {
    KV_TRY(read(transfer->offset, transfer->bytes));
    KV_TRY(batch.done(index++));
  }
  return {};
}

Status DeviceFile::write_many(TransferBatch& batch) {
  std::size_t index = 0;
  while (const std::optional<Transfer> transfer = batch.next()) {
    KV_TRY(write(transfer->offset, transfer->bytes));
    KV_TRY(batch.done(index++));
  }
  return {};
}

}  // namespace kvantage::inline ports
