// One kernel per operand type of mma.sync. What executes is not always what is asked for: on sm_90a the fp8 kernel runs
// as fp16, and int4 as int8.
#define OPERANDS "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])

#define FLOAT_KERNEL(name, instruction)                                                              \
  extern "C" __global__ void name(float* out, const unsigned* in) {                                  \
    const unsigned a[4] = {in[0], in[1], in[2], in[3]}, b[2] = {in[4], in[5]};                       \
    float c[4] = {};                                                                                 \
    asm volatile(instruction " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                \
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                    \
                 : OPERANDS);                                                                        \
    out[threadIdx.x] = c[0] + c[1] + c[2] + c[3];                                                    \
  }

#define INTEGER_KERNEL(name, instruction)                                                            \
  extern "C" __global__ void name(int* out, const unsigned* in) {                                    \
    const unsigned a[4] = {in[0], in[1], in[2], in[3]}, b[2] = {in[4], in[5]};                       \
    int c[4] = {};                                                                                   \
    asm volatile(instruction " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                \
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])                                    \
                 : OPERANDS);                                                                        \
    out[threadIdx.x] = c[0] + c[1] + c[2] + c[3];                                                    \
  }

FLOAT_KERNEL(mma_fp16, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32")
FLOAT_KERNEL(mma_bf16, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32")
FLOAT_KERNEL(mma_tf32, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32")
INTEGER_KERNEL(mma_int8, "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32")
INTEGER_KERNEL(mma_int4, "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32")

extern "C" __global__ void mma_int1(int* out, const unsigned* in) {
  const unsigned a[4] = {in[0], in[1], in[2], in[3]}, b[2] = {in[4], in[5]};
  int c[4] = {};
  asm volatile(
      "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : OPERANDS);
  out[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

extern "C" __global__ void mma_fp64(double* out, const double* in) {
  double c[2] = {};
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+d"(c[0]), "+d"(c[1])
               : "d"(in[0]), "d"(in[1]));
  out[threadIdx.x] = c[0] + c[1];
}

extern "C" __global__ void mma_fp16_sparse(float* out, const unsigned* in) {
  float c[4] = {};
  asm volatile(
      "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
      "{%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, 0x0;"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(in[0]), "r"(in[1]), "r"(in[2]), "r"(in[3]), "r"(in[4]), "r"(in[5]), "r"(in[6]), "r"(in[7]), "r"(0xeeeeeeee));
  out[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

#if __CUDA_ARCH__ >= 890
FLOAT_KERNEL(mma_fp8, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32")
#endif

#ifdef FP4_TARGETS
FLOAT_KERNEL(mma_fp6, "mma.sync.aligned.kind::f8f6f4.m16n8k32.row.col.f32.e3m2.e3m2.f32")
FLOAT_KERNEL(mma_fp4, "mma.sync.aligned.kind::f8f6f4.m16n8k32.row.col.f32.e2m1.e2m1.f32")
FLOAT_KERNEL(mma_fp8_by_fp4, "mma.sync.aligned.kind::f8f6f4.m16n8k32.row.col.f32.e4m3.e2m1.f32")

extern "C" __global__ void mma_fp4_scaled(float* out, const unsigned* in) {
  const unsigned a[4] = {in[0], in[1], in[2], in[3]}, b[2] = {in[4], in[5]};
  float c[4] = {};
  asm volatile(
      "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3 "
      "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3}, {%10}, {0, 0}, {%11}, {0, 0};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : OPERANDS, "r"(in[6]), "r"(in[7]));
  out[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}
#endif

extern "C" __global__ void mma_none(float* out) { out[threadIdx.x] = 2.0f * out[threadIdx.x]; }
