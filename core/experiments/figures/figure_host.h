// What makers of figures need of the program around them: sessions, a throttled tier, a place to show results.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/engine/engine.h"
#include "core/ports/storage_tier.h"
#include "core/report/figure.h"
#include "core/report/recorded_run.h"

namespace kvantage::inline figures {

struct FigureArguments;

/// A session that the host opened, with its curves measured.
class FigureSession {
 public:
  virtual ~FigureSession() = default;
  virtual Engine& engine() = 0;
  /// Requests of a run: before those that count, and those.
  virtual std::uint64_t warmup_requests() const = 0;
  virtual std::uint64_t workload_requests() const = 0;
  /// Serves the workload once. `midway` changes the settings when half of the requests have been answered. cancelled
  /// where the user interrupted it: what was served so far stays in the database.
  virtual Expected<RecordedRun> serve(const SessionSettings& settings,
                                      const std::function<void(SessionSettings&)>& midway) = 0;
};

class FigureHost {
 public:
  virtual ~FigureHost() = default;
  virtual const Clock& clock() const = 0;
  /// Whether the user asked to end the work.
  virtual bool interrupted() const = 0;
  virtual std::filesystem::path default_model() const = 0;
  /// On the workload of the arguments, every curve of `methods` measured (empty: the workload's own). cancelled where
  /// interrupted.
  virtual Expected<std::unique_ptr<FigureSession>> open_session(const FigureArguments& arguments, std::uint64_t seed,
                                                                const std::vector<std::string>& methods) = 0;
  /// Host memory of this many bytes a second, without a budget.
  virtual Expected<std::unique_ptr<StorageTier>> open_memory_tier(double bytes_per_second) = 0;
  virtual std::unique_ptr<BufferLender> make_buffers(std::size_t bytes) = 0;

  /// Text of a figure that is still being made, as with printf.
  void print(const char* format, ...) __attribute__((format(printf, 2, 3)));
  void show(const FigureResult& result, bool json);
  /// Several figures of one command: as JSON one array.
  void show_all(const std::vector<FigureResult>& results, bool json);
  /// A whole line of JSON.
  void show_json(const OrderedJson& json) { write(json.dump() + "\n"); }

 protected:
  virtual void write(const std::string& text) = 0;
};

}  // namespace kvantage::inline figures
