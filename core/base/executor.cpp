#include "core/base/executor.h"

#include <pthread.h>

#include <thread>
#include <utility>

namespace kvantage {
namespace {

class SystemThread final : public Executor::Thread {
 public:
  SystemThread(const std::string& name, ThreadPriority rank, std::function<void()> body)
      : thread_([rank, body = std::move(body)] {
          rank_this_thread(rank);
          body();
        }) {
    if (!name.empty()) ::pthread_setname_np(thread_.native_handle(), name.substr(0, 15).c_str());
  }
  ~SystemThread() override { thread_.join(); }

 private:
  std::thread thread_;
};

}  // namespace

std::unique_ptr<Executor::Thread> SystemExecutor::start(const std::string& name, ThreadPriority rank,
                                                        std::function<void()> body) {
  return std::make_unique<SystemThread>(name, rank, std::move(body));
}

Executor& system_executor() {
  static SystemExecutor executor;
  return executor;
}

}  // namespace kvantage
