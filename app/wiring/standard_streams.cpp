#include "app/wiring/standard_streams.h"

#include <fcntl.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <initializer_list>

namespace kvantage::inline wiring {

void hold_standard_streams() {
  (void)std::signal(SIGXFSZ, SIG_IGN);
  // In this order: each takes the lowest number that is free.
  for (const int stream : {0, 1, 2})
    if (::fcntl(stream, F_GETFD) == -1 && errno == EBADF) (void)::open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
}

int exit_code_after_output(int code) {
  const bool lost_before = std::ferror(stdout) != 0;
  errno = 0;
  const bool lost_now = std::fflush(stdout) != 0;
  if (!lost_before && !lost_now) return code;
  std::fprintf(stderr,
               "error: standard output: not all of it could be written (%s); free space, or write to another place\n",
               lost_now ? std::strerror(errno) : "a write failed");
  return code == 0 ? 1 : code;
}

}  // namespace kvantage::inline wiring
