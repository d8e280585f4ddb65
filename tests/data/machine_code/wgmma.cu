// One kernel per operand type of wgmma. Operands are not set up: these are read, never run.
#include <cstdint>

#define KERNEL(name, type, constraint, instruction, tail)                                      \
  extern "C" __global__ void name(type* out, uint64_t a, uint64_t b) {                         \
    type c[4] = {};                                                                            \
    asm volatile("wgmma.fence.sync.aligned;");                                                 \
    asm volatile("{ .reg .pred p; setp.ne.b32 p, 1, 0; " instruction                           \
                 " {%0,%1,%2,%3}, %4, %5, p" tail "; }"                                        \
                 : constraint(c[0]), constraint(c[1]), constraint(c[2]), constraint(c[3])      \
                 : "l"(a), "l"(b));                                                            \
    asm volatile("wgmma.commit_group.sync.aligned;");                                          \
    asm volatile("wgmma.wait_group.sync.aligned 0;");                                          \
    out[threadIdx.x] = c[0] + c[1] + c[2] + c[3];                                              \
  }

KERNEL(fp16, float, "+f", "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", ", 1, 1, 0, 0")
KERNEL(bf16, float, "+f", "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16", ", 1, 1, 0, 0")
KERNEL(tf32, float, "+f", "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32", ", 1, 1")
KERNEL(fp8, float, "+f", "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3", ", 1, 1")
KERNEL(int8, int, "+r", "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8", "")

extern "C" __global__ void bf16_sparse(float* out, uint64_t a, uint64_t b, uint32_t places) {
  float c[4] = {};
  asm volatile("wgmma.fence.sync.aligned;");
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.bf16.bf16 {%0,%1,%2,%3}, %4, %5, "
      "%6, 0, p, 1, 1, 0, 0; }"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "l"(a), "l"(b), "r"(places));
  asm volatile("wgmma.commit_group.sync.aligned;");
  asm volatile("wgmma.wait_group.sync.aligned 0;");
  out[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}
