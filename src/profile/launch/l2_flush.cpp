#include "profile/launch/l2_flush.hpp"

#include <algorithm>
#include <string>

#include "roofline/profile/kernel_launch.hpp"

namespace roofline::profile {
namespace {

constexpr unsigned kThreads = 1024;
constexpr std::size_t kUnknownL2 = std::size_t{128} << 20;

// Reads 16 bytes a step, from every thread of a grid as large as the GPU. The sum is stored where
// it equals a value that a zeroed buffer cannot give, so that no compiler drops the reads. PTX 7.0
// for sm_52: every driver compiles it.
const std::string kReader = R"(.version 7.0
.target sm_52
.address_size 64
.visible .entry roofline_internal_flush_l2(.param .u64 buffer, .param .u64 count)
{
  .reg .pred %p<3>;
  .reg .b32 %r<12>;
  .reg .b64 %d<10>;
  ld.param.u64 %d1, [buffer];
  ld.param.u64 %d2, [count];
  cvta.to.global.u64 %d3, %d1;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  cvt.u64.u32 %d4, %r4;
  mov.u32 %r5, %nctaid.x;
  mul.lo.u32 %r6, %r5, %r2;
  cvt.u64.u32 %d5, %r6;
  mov.u32 %r7, 0;
LOOP:
  setp.ge.u64 %p1, %d4, %d2;
  @%p1 bra DONE;
  shl.b64 %d6, %d4, 4;
  add.u64 %d7, %d3, %d6;
  ld.global.cg.v4.u32 {%r8, %r9, %r10, %r11}, [%d7];
  add.u32 %r7, %r7, %r8;
  add.u32 %r7, %r7, %r9;
  add.u32 %r7, %r7, %r10;
  add.u32 %r7, %r7, %r11;
  add.u64 %d4, %d4, %d5;
  bra LOOP;
DONE:
  setp.ne.u32 %p2, %r7, 305419896;
  @%p2 bra END;
  st.global.u32 [%d3], %r7;
END:
  ret;
}
)";
constexpr const char* kReaderName = "roofline_internal_flush_l2";
static_assert(std::string_view(kReaderName).starts_with(kOwnKernelPrefix));

}  // namespace

Result<L2Flush> L2Flush::make(const cuda::Api& api, const cuda::DeviceInfo& device) {
  auto module = cuda::LoadedModule::load(api, kReader);
  if (!module) return tl::unexpected(std::move(module.error()));
  const auto function = module->function(kReaderName);
  if (!function) return tl::unexpected(function.error());
  const std::size_t bytes = 2 * (device.l2_bytes > 0 ? device.l2_bytes : kUnknownL2);
  auto buffer = cuda::Memory::allocate(api, bytes);
  if (!buffer) return tl::unexpected(std::move(buffer.error()));
  if (auto zeroed = cuda::check(api, api.fill_bytes(buffer->address(), 0, bytes), "cuMemsetD8");
      !zeroed)
    return tl::unexpected(std::move(zeroed.error()));
  const auto blocks = static_cast<unsigned>(std::max<std::uint64_t>(2 * device.sm_count, 1));
  return L2Flush(api, std::move(*module), *function, std::move(*buffer), blocks);
}

Result<void> L2Flush::run() const {
  cuda::Address address = buffer_.address();
  std::uint64_t count = buffer_.bytes() / 16;
  void* arguments[] = {&address, &count};
  return cuda::check(
      *api_, api_->launch(function_, blocks_, 1, 1, kThreads, 1, 1, 0, nullptr, arguments, nullptr),
      "cuLaunchKernel of the cache flush");
}

}  // namespace roofline::profile
