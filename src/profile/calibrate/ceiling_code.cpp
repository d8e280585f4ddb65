// The kernels of the tests as PTX. All take (input, output, count, iterations): `count` elements of
// 16 bytes where memory is swept. Whatever they compute is stored, and held against a reference.
#include "profile/calibrate/ceiling_ptx.hpp"

namespace roofline::profile {
namespace {

/// %d4 runs over the elements of 16 bytes in steps of the grid; `each` is called for kLoads of them
/// at a time, with the addresses' offset in %d10 ...; the host rounds the count to whole turns.
template <class Each>
void sweep(Code& code, Each each) {
  code.line("cvt.u64.u32 %d5, %t2;\nshl.b64 %d6, %d5, 4;\nshl.b64 %d7, %d5, 6;");
  code.line("shl.b64 %d8, %d2, 4;");  // bytes of the buffer
  code.loop([&] {
    code.line("cvt.u64.u32 %d4, %t1;\nshl.b64 %d4, %d4, 4;");
    code.line("SWEEP:");
    code.line("mov.u64 %d10, %d4;");
    for (unsigned i = 1; i < kLoads; ++i) code.line("add.u64 %d{}, %d{}, %d6;", 10 + i, 9 + i);
    each();
    code.line("add.u64 %d4, %d4, %d7;\nsetp.lt.u64 %p1, %d4, %d8;\n@%p1 bra SWEEP;");
  });
}

void add_up(Code& code, unsigned first, unsigned words) {
  for (unsigned i = 0; i < words; ++i) code.line("add.u32 %r0, %r0, %r{};", first + i);
}

void store_sum(Code& code) {
  code.at("%d1", "%t1", 4);
  code.line("st.global.u32 [%d3], %r0;");
}

void read(Code& code) {
  code.line("mov.u32 %r0, 0;");
  sweep(code, [&] {
    for (unsigned i = 0; i < kLoads; ++i) {
      code.line("add.u64 %d20, %d0, %d{};", 10 + i);
      code.line("ld.global.v4.u32 {}, [%d20];", registers("r", 4 + 4 * i, 4));
    }
    add_up(code, 4, 4 * kLoads);
  });
  store_sum(code);
}

void copy(Code& code) {
  sweep(code, [&] {
    for (unsigned i = 0; i < kLoads; ++i) {
      code.line("add.u64 %d20, %d0, %d{};", 10 + i);
      code.line("ld.global.v4.u32 {}, [%d20];", registers("r", 4 + 4 * i, 4));
    }
    for (unsigned i = 0; i < kLoads; ++i) {
      code.line("add.u64 %d20, %d1, %d{};", 10 + i);
      code.line("st.global.v4.u32 [%d20], {};", registers("r", 4 + 4 * i, 4));
    }
  });
}

/// The second operand stands behind the first in the input.
void triad(Code& code) {
  code.line("shl.b64 %d9, %d2, 4;\nadd.u64 %d9, %d9, %d0;");
  sweep(code, [&] {
    for (unsigned i = 0; i < kLoads; ++i) {
      code.line("add.u64 %d20, %d0, %d{0};\nadd.u64 %d21, %d9, %d{0};", 10 + i);
      code.line("ld.global.v4.f32 {}, [%d20];", registers("f", 0, 4));
      code.line("ld.global.v4.f32 {}, [%d21];", registers("f", 4, 4));
      for (unsigned j = 0; j < 4; ++j)
        code.line("fma.rn.f32 %f{0}, %f{1}, 0f40400000, %f{0};", j, 4 + j);
      code.line("add.u64 %d20, %d1, %d{};", 10 + i);
      code.line("st.global.v4.f32 [%d20], {};", registers("f", 0, 4));
    }
  });
}

/// Every thread reads its own elements over and over, past the L1: the count is a multiple of
/// kLoads grids.
void l2_read(Code& code) {
  code.line("mov.u32 %r0, 0;\ncvt.u64.u32 %d5, %t2;\nshl.b64 %d6, %d5, 4;\nshl.b64 %d7, %d5, 6;");
  code.line("shl.b64 %d8, %d2, 4;\ncvt.u64.u32 %d4, %t1;\nshl.b64 %d4, %d4, 4;\nmov.u64 %d9, %d4;");
  code.loop([&] {
    code.line("add.u64 %d10, %d0, %d4;");
    for (unsigned i = 1; i < kLoads; ++i) code.line("add.u64 %d{}, %d{}, %d6;", 10 + i, 9 + i);
    for (unsigned i = 0; i < kLoads; ++i)
      code.line("ld.global.cg.v4.u32 {}, [%d{}];", registers("r", 4 + 4 * i, 4), 10 + i);
    add_up(code, 4, 4 * kLoads);
    code.line("add.u64 %d4, %d4, %d7;\nsetp.ge.u64 %p1, %d4, %d8;\n@%p1 mov.u64 %d4, %d9;");
  });
  store_sum(code);
}

/// A warp reads 512 bytes in a row. volatile: a second read of a place is not left out.
void shared_read(Code& code) {
  code.at("%d0", "%t0", 16);
  code.line("ld.global.v4.u32 {}, [%d3];", registers("r", 4, 4));
  code.line("mov.u32 %r1, room;\nshl.b32 %r2, %t0, 4;\nadd.u32 %r3, %r1, %r2;");
  code.line("st.shared.v4.u32 [%r3], {};\nbar.sync 0;\nmov.u32 %r0, 0;", registers("r", 4, 4));
  for (unsigned i = 0; i < kSharedReads; ++i) {
    code.line("add.u32 %r{0}, %r2, {1};\nand.b32 %r{0}, %r{0}, {2};\nadd.u32 %r{0}, %r{0}, %r1;",
              100 + i, 512 * i, 16 * kSharedSlots - 1);
  }
  code.loop([&] {
    for (unsigned i = 0; i < kSharedReads; ++i)
      code.line("ld.volatile.shared.v4.u32 {}, [%r{}];", registers("r", 4 + 4 * i, 4), 100 + i);
    add_up(code, 4, 4 * kSharedReads);
  });
  store_sum(code);
}

/// What a chain's step is written as, and where its value lives.
struct Chain {
  std::string_view step;  ///< {0}: the chain's register, {1}: the constant's
  std::string_view constant;
  std::string_view kind, type;
  unsigned bytes;
};

Chain chain_of(const CeilingRow& row) {
  if (row.method == Method::exponential)
    return {"neg.f32 %f{0}, %f{0};\nex2.approx.ftz.f32 %f{0}, %f{0};", {}, "f", "f32", 4};
  switch (row.dtype) {
    case DType::fp64:
      return {"fma.rn.f64 %g{0}, %g{0}, %g{0}, %g63;", "mov.f64 %g63, 0dBFFE600000000000;", "g",
              "f64", 8};
    case DType::fp16:
      return {"fma.rn.f16x2 %r{0}, %r{0}, %r{0}, %r200;", "mov.b32 %r200, 0xbf98bf98;", "r", "b32",
              4};
    case DType::bf16:
      return {"fma.rn.bf16x2 %r{0}, %r{0}, %r{0}, %r200;", "mov.b32 %r200, 0xbff3bff3;", "r", "b32",
              4};
    case DType::int32:
      return {"mad.lo.u32 %r{0}, %r{0}, %r{0}, %r200;", "mov.b32 %r200, 2654435769;", "r", "b32",
              4};
    default:
      return {"fma.rn.f32 %f{0}, %f{0}, %f{0}, %f31;", "mov.f32 %f31, 0fBFF30000;", "f", "f32", 4};
  }
}

/// Chains that do not wait for each other; a thread's values stand together in input and output.
void chains(Code& code) {
  const auto chain = chain_of(code.row());
  const unsigned count = chains_of(code.row());
  code.at("%d0", "%t0", count * chain.bytes);
  for (unsigned i = 0; i < count; ++i)
    code.line("ld.global.{} %{}{}, [%d3+{}];", chain.type, chain.kind, i, i * chain.bytes);
  if (!chain.constant.empty()) code.line("{}", chain.constant);
  code.loop([&] {
    for (unsigned step = 0; step < kSteps; ++step)
      for (unsigned i = 0; i < count; ++i)
        code.line("{}", fmt::format(fmt::runtime(chain.step), i));
  });
  code.at("%d1", "%t0", count * chain.bytes);
  for (unsigned i = 0; i < count; ++i)
    code.line("st.global.{} [%d3+{}], %{}{};", chain.type, i * chain.bytes, chain.kind, i);
}

}  // namespace

std::string ceiling_code(const CeilingTest& test, int capability) {
  const auto& row = row_of(test);
  if (row.target.empty() || !test.runs_on(capability)) return {};
  Code code(row, capability);
  switch (row.method) {
    case Method::read: read(code); break;
    case Method::copy: copy(code); break;
    case Method::triad: triad(code); break;
    case Method::l2_read: l2_read(code); break;
    case Method::shared_read: shared_read(code); break;
    case Method::fma:
    case Method::exponential: chains(code); break;
    case Method::mma: mma(code); break;
    case Method::wgmma: wgmma(code); break;
    case Method::tcgen05: tcgen05(code); break;
    case Method::stream_launch:
    case Method::graph_launch:
    case Method::copy_to_device:
    case Method::copy_to_host: break;  // an empty kernel, or none
  }
  return code.finish();
}

}  // namespace roofline::profile
