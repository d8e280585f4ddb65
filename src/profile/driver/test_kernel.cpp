#include <algorithm>
#include <chrono>

#include "profile/driver/session.hpp"
#include "roofline/profile/machine_state.hpp"

namespace roofline::profile {
namespace {

// PTX 7.0 for sm_52: every driver that we run on compiles it for its GPU.
const std::string kEmptyKernel =
    ".version 7.0\n"
    ".target sm_52\n"
    ".address_size 64\n"
    ".visible .entry roofline_test_kernel()\n"
    "{\n"
    "  ret;\n"
    "}\n";

constexpr int kLaunches = 1000, kCopies = 10;
constexpr std::size_t kCopyBytes = std::size_t{256} << 20;

Result<void> time_launches(const cuda::Api& api, TestKernel& test) {
  auto module = cuda::LoadedModule::load(api, kEmptyKernel);
  if (!module) return tl::unexpected(std::move(module.error()));
  const auto function = module->function("roofline_test_kernel");
  if (!function) return tl::unexpected(function.error());
  auto watch = cuda::Stopwatch::make(api);
  if (!watch) return tl::unexpected(std::move(watch.error()));
  const auto launch = [&](int count) -> Result<void> {
    for (int i = 0; i < count; ++i) {
      const auto status = api.launch(*function, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr);
      if (status != 0) return tl::unexpected(cuda::call_error(api, status, "cuLaunchKernel"));
    }
    return {};
  };
  // The first launches load code and make queues.
  if (auto done = launch(kLaunches / 10); !done) return done;
  if (auto done = cuda::check(api, api.synchronize(), "cuCtxSynchronize"); !done) return done;
  if (auto done = watch->start(); !done) return done;
  const auto before = std::chrono::steady_clock::now();
  if (auto done = launch(kLaunches); !done) return done;
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - before;
  if (auto done = watch->stop(); !done) return done;
  const auto seconds = watch->seconds();
  if (!seconds) return tl::unexpected(seconds.error());
  test.launch_s = spent.count() / kLaunches;
  test.kernel_s = *seconds / kLaunches;
  return {};
}

Result<void> time_copies(const cuda::Api& api, TestKernel& test) {
  std::size_t free_bytes = 0, total = 0;
  if (auto done = cuda::check(api, api.memory_info(&free_bytes, &total), "cuMemGetInfo"); !done)
    return done;
  test.copy_bytes = std::min(kCopyBytes, free_bytes / 4);
  if (test.copy_bytes == 0) return {};
  const auto from = cuda::Memory::allocate(api, test.copy_bytes),
             to = cuda::Memory::allocate(api, test.copy_bytes);
  if (!from) return tl::unexpected(from.error());
  if (!to) return tl::unexpected(to.error());
  auto watch = cuda::Stopwatch::make(api);
  if (!watch) return tl::unexpected(std::move(watch.error()));
  const auto copy = [&](int count) -> Result<void> {
    for (int i = 0; i < count; ++i) {
      const auto status =
          api.copy_on_device_async(to->address(), from->address(), test.copy_bytes, nullptr);
      if (status != 0) return tl::unexpected(cuda::call_error(api, status, "cuMemcpyDtoDAsync"));
    }
    return {};
  };
  if (auto done = copy(1); !done) return done;
  if (auto done = watch->start(); !done) return done;
  if (auto done = copy(kCopies); !done) return done;
  if (auto done = watch->stop(); !done) return done;
  const auto seconds = watch->seconds();
  if (!seconds) return tl::unexpected(seconds.error());
  if (*seconds > 0)
    test.copy_rate = 2.0 * kCopies * static_cast<double>(test.copy_bytes) / *seconds;
  return {};
}

}  // namespace

Result<TestKernel> run_test_kernel(const cuda::Api& api, int ordinal) {
  const auto session = cuda::Session::open(api, ordinal);
  if (!session) return tl::unexpected(session.error());
  TestKernel test;
  if (auto done = time_launches(api, test); !done) return tl::unexpected(std::move(done.error()));
  if (auto done = time_copies(api, test); !done) return tl::unexpected(std::move(done.error()));
  return test;
}

}  // namespace roofline::profile
