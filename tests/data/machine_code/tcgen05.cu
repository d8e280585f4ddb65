// One kernel per kind of tcgen05.mma. Operands are not set up: these are read, never run.
#include <cstdint>

#define KERNEL(name, instruction, scales)                                                         \
  extern "C" __global__ void name(uint32_t d, uint64_t a, uint64_t b, uint32_t descriptor) {      \
    asm volatile("{ .reg .pred p; setp.ne.b32 p, 1, 0; " instruction                              \
                 " [%0], %1, %2, %3" scales ", p; }" ::"r"(d), "l"(a), "l"(b), "r"(descriptor));  \
  }

KERNEL(f16, "tcgen05.mma.cta_group::1.kind::f16", "")
KERNEL(tf32, "tcgen05.mma.cta_group::1.kind::tf32", "")
KERNEL(f8f6f4, "tcgen05.mma.cta_group::1.kind::f8f6f4", "")
KERNEL(mxf8f6f4, "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X", ", [%0], [%0]")
KERNEL(mxf4, "tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X", ", [%0], [%0]")
KERNEL(mxf4nvf4, "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X", ", [%0], [%0]")
KERNEL(f16_pair, "tcgen05.mma.cta_group::2.kind::f16", "")
#ifdef INT8_TARGETS
KERNEL(i8, "tcgen05.mma.cta_group::1.kind::i8", "")
#endif
