// A program on the driver API that launches kernels and then ends in the way it is told to.
// usage: launches [COUNT [ENDING [THREADS]]]
// ENDING: return, exit, _exit, kill, term, segv, abort, throw, sleepkill, fork, forkexec, exec,
//         overstack, close_fds
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "programs.hpp"

namespace {

int overflow(int depth) {
  volatile char frame[4096] = {};
  frame[0] = static_cast<char>(depth);
  return overflow(depth + 1) + frame[0];
}

void run_again(char** arguments) {
  execl("/proc/self/exe", arguments[0], "500", "return", static_cast<char*>(nullptr));
  _exit(98);
}

int in_child(char** arguments, bool exec, CUfunction f) {
  const pid_t child = fork();
  if (child == 0) {
    if (exec) run_again(arguments);
    cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr,
                   nullptr);  // CUDA does not survive a fork
    std::exit(7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 97;
}

}  // namespace

int main(int count, char** arguments) {
  const long launches = count > 1 ? std::atol(arguments[1]) : 1000;
  const std::string ending = count > 2 ? arguments[2] : "return";
  const int threads = count > 3 ? std::atoi(arguments[3]) : 1;
  must(cuInit(0), "cuInit");
  const Gpu gpu;
  const CUfunction axpy = gpu.function("axpy");
  CUdeviceptr x = 0;
  std::vector<char> host(1 << 20);
  must(cuMemAlloc(&x, host.size()), "cuMemAlloc");
  must(cuMemcpyHtoD(x, host.data(), host.size()), "cuMemcpyHtoD");
  std::vector<std::thread> others;
  for (int t = 0; t < threads; ++t)
    others.emplace_back([&] {
      must(cuCtxSetCurrent(gpu.context), "cuCtxSetCurrent");
      for (long i = 0; i < launches / threads; ++i) launch(axpy);
    });
  for (auto& other : others) other.join();
  must(cuCtxSynchronize(), "cuCtxSynchronize");
  std::printf("launched %ld\n", launches);
  std::fflush(stdout);

  if (ending == "exit") std::exit(3);
  if (ending == "_exit") _exit(4);
  if (ending == "kill") std::raise(SIGKILL);
  if (ending == "term") std::raise(SIGTERM);
  if (ending == "segv") *const_cast<volatile int*>(static_cast<int*>(nullptr)) = 1;
  if (ending == "abort") std::abort();
  if (ending == "throw") throw std::runtime_error("thrown on purpose");
  if (ending == "overstack") return overflow(0);
  if (ending == "sleepkill") {
    usleep(2'000'000);  // many flushes, on a busy machine too
    std::raise(SIGKILL);
  }
  if (ending == "fork") return in_child(arguments, false, axpy);
  if (ending == "forkexec") return in_child(arguments, true, axpy);
  if (ending == "exec") run_again(arguments);
  if (ending == "close_fds") {
    for (int fd = 3; fd < 256; ++fd) close(fd);
    FILE* own = std::fopen(arguments[4], "w");
    for (long i = 0; i < launches; ++i) launch(axpy);
    std::fputs("the program's own file\n", own);
    std::fclose(own);
  }
  return 0;
}
