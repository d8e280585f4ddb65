// Tensor kernels: products with sums of their own, which take away again what they added, so that
// they stay bounded and keep changing. At the end one product is made anew, and is what is
// verified.
#include <algorithm>
#include <cstdint>

#include "profile/calibrate/ceiling_ptx.hpp"

namespace roofline::profile {
namespace {

/// The sums of a thread, behind those of the threads before it; `place`: 0 for what is verified, 1
/// for what the loop left. Stored, so that no compiler drops the loop.
void store_sums(Code& code, std::string_view kind, unsigned first, unsigned count, unsigned bytes,
                std::string_view type, unsigned place) {
  if (place > 0) code.line("mov.u32 %t5, %ntid.x;\nadd.u32 %t5, %t5, %t0;");
  code.at("%d1", place > 0 ? "%t5" : "%t0", bytes * count);
  for (unsigned i = 0; i < count; ++i)
    code.line("st.global.{} [%d3+{}], %{}{};", type, bytes * i, kind, first + i);
}

/// The input, A's rows and then those of B^T, goes to shared memory as it stands.
void tiles_to_shared(Code& code) {
  code.line("mov.u32 %r200, room;\nshl.b32 %r201, %t0, 4;\nadd.u32 %r200, %r200, %r201;");
  code.at("%d0", "%t0", 16);
  for (unsigned at = 0; at < tile_bytes(code.row()); at += 16 * code.row().threads) {
    code.line("ld.global.v4.u32 {}, [%d3+{}];", registers("r", 204, 4), at);
    code.line("st.shared.v4.u32 [%r200+{}], {};", at, registers("r", 204, 4));
  }
}

/// The instruction descriptor: types, negation of A, N / 8, M / 16.
std::uint32_t instruction_descriptor(const CeilingRow& row, bool negative) {
  struct Type {
    std::string_view operands;
    unsigned format;
  };
  constexpr Type kTypes[] = {{"f16", 0},  {"bf16", 1}, {"tf32", 2}, {"e4m3", 0},
                             {"e2m3", 3}, {"e2m1", 1}, {"s8", 1}};
  const auto& t = row.tensor;
  const auto type = std::find_if(std::begin(kTypes), std::end(kTypes),
                                 [&](const Type& known) { return known.operands == t.operands; });
  std::uint32_t bits = type->format << 7 | type->format << 10 | (t.n >> 3) << 17 | (t.m >> 4) << 24;
  if (t.operands == "e2m1")
    bits |= 1U << 23;  // scales are ue8m0; the type of the sums is not stated
  else
    bits |= (t.sums == "s32" ? 2U : 1U) << 4;
  if (negative && t.sums != "s32" && t.operands != "e2m1") bits |= 1U << 13;
  return bits;
}

std::string_view mma_kind(std::string_view operands) {
  if (operands == "tf32") return "kind::tf32";
  if (operands == "s8") return "kind::i8";
  if (operands == "e4m3" || operands == "e2m3") return "kind::f8f6f4";
  return operands == "e2m1" ? "kind::mxf4.block_scale.scale_vec::2X" : "kind::f16";
}

}  // namespace

/// kSets products with sums of their own, each added and then taken away again (integers: added
/// twice), so that sums stay bounded and keep changing. A tensor core rounds sums of floats towards
/// zero, and what is left of them drifts: so the loop's are put aside, and one product is made
/// anew. Per lane the input holds A of every set, then B.
void mma(Code& code) {
  const auto& t = code.row().tensor;
  const bool wide = t.operands == "f64", integer = t.sums == "s32";
  const std::string_view kind = wide ? "g" : "r", load = wide ? "f64" : "b32";
  const unsigned bytes = wide ? 8 : 4;
  const unsigned b = kSets * t.a_words, minus = b + t.b_words, c = minus + t.b_words;
  code.line("and.b32 %t5, %t0, 31;");
  code.at("%d0", "%t5", bytes * (b + t.b_words));
  for (unsigned i = 0; i < b + t.b_words; ++i)
    code.line("ld.global.{} %{}{}, [%d3+{}];", load, kind, i, bytes * i);
  for (unsigned i = 0; i < t.b_words; ++i) {
    if (wide)
      code.line("neg.f64 %g{}, %g{};", minus + i, b + i);
    else if (integer)
      code.line("mov.b32 %r{}, %r{};", minus + i, b + i);
    else
      code.line("xor.b32 %r{}, %r{}, {};", minus + i, b + i, t.negate);
  }
  // Sums are fp32 in registers of 32 bits: PTX wants them typed.
  const std::string_view sum_kind = wide ? "g" : integer ? "r" : "f";
  const unsigned first = integer || wide ? c : 0;
  const std::string_view sum_type = wide ? "f64" : integer ? "b32" : "f32";
  const std::string_view zero = wide ? "0d0000000000000000" : integer ? "0" : "0f00000000";
  const auto clear = [&] {
    for (unsigned i = 0; i < kSets * t.c_words; ++i)
      code.line("mov.{} %{}{}, {};", sum_type, sum_kind, first + i, zero);
  };
  clear();
  const auto product = [&](unsigned set, unsigned from) {
    const auto sums = registers(sum_kind, first + set * t.c_words, t.c_words);
    code.line("mma.sync.aligned.m{}n{}k{}.row.col.{}.{}.{}.{} {}, {}, {}, {};", t.m, t.n, t.k,
              t.sums, t.operands, t.operands, t.sums, sums,
              registers(kind, set * t.a_words, t.a_words), registers(kind, from, t.b_words), sums);
  };
  code.loop([&] {
    for (const unsigned from : {b, minus})
      for (unsigned set = 0; set < kSets; ++set) product(set, from);
  });
  if (!integer) {
    store_sums(code, sum_kind, first, kSets * t.c_words, bytes, sum_type, 1);
    clear();
  }
  for (unsigned set = 0; set < kSets; ++set) product(set, b);
  store_sums(code, sum_kind, first, kSets * t.c_words, bytes, sum_type, 0);
}

/// One warpgroup multiplies A (64 rows) and B (256 rows of its transpose), each row 32 bytes of k,
/// from shared memory: core matrices of 8 rows and 16 bytes, the two along k next to each other.
void wgmma(Code& code) {
  const auto& t = code.row().tensor;
  const bool integer = t.sums == "s32";
  const std::string_view kind = integer ? "r" : "e";
  if (!integer) code.line(".reg .f32 %e<192>;");
  tiles_to_shared(code);
  code.line("fence.proxy.async;\nbar.sync 0;");
  // Address / 16, then the strides along k (128) and along rows (256) / 16; no swizzle.
  code.line("mov.u32 %r200, room;\nshr.u32 %r200, %r200, 4;\nand.b32 %r200, %r200, 0x3fff;");
  code.line("cvt.u64.u32 %d10, %r200;\nor.b64 %d10, %d10, {};", (16ULL << 32) | (8ULL << 16));
  code.line("add.u64 %d11, %d10, {};\nsetp.eq.u32 %p2, 0, 0;", 32 * 64 / 16);
  code.line("setp.eq.u32 %p3, 0, {};", integer ? 0 : 1);  // whether the last product adds
  for (unsigned i = 0; i < t.c_words; ++i)
    code.line("mov.{} %{}{}, {};", integer ? "b32" : "f32", kind, i, integer ? "0" : "0f00000000");
  const auto sums = registers(kind, 0, t.c_words);
  const auto product = [&](bool minus, std::string_view adds) {
    std::string_view tail = "";
    if (t.operands == "f16" || t.operands == "bf16")
      tail = minus ? ", 1, -1, 0, 0" : ", 1, 1, 0, 0";
    else if (!integer)
      tail = minus ? ", 1, -1" : ", 1, 1";
    code.line("wgmma.mma_async.sync.aligned.m64n256k{}.{}.{}.{} {}, %d10, %d11, {}{};", t.k, t.sums,
              t.operands, t.operands, sums, adds, tail);
  };
  const auto group = [&](unsigned count, std::string_view adds) {
    code.line("wgmma.fence.sync.aligned;");
    for (unsigned i = 0; i < count; ++i) product(i % 2 == 1, adds);
    code.line("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;");
  };
  code.loop([&] { group(kBatch, "%p2"); });
  const std::string_view type = integer ? "b32" : "f32";
  if (!integer) store_sums(code, kind, 0, t.c_words, 4, type, 1);
  group(1, "%p3");
  store_sums(code, kind, 0, t.c_words, 4, type, 0);
}

// ---------------------------------------------------------------- tcgen05
// PTX ISA 9.7.16 ("TensorCore 5th Generation Family Instructions"); fields of the descriptors also
// by cute/arch/mma_sm100_desc.hpp of CUTLASS.

/// One thread multiplies A (128 rows) and B (256 rows of its transpose) from shared memory, laid
/// out as for wgmma, into 256 columns of tensor memory: row i of C is lane i. Blocks of four warps,
/// each of which reads the lanes of its own. The products follow each other without a wait: the
/// hardware keeps their order. Scales of fp4 are all 1, so that their layout does not matter.
void tcgen05(Code& code) {
  const auto& t = code.row().tensor;
  const bool scaled = t.operands == "e2m1", integer = t.sums == "s32";
  const unsigned columns = scaled ? 512 : 256, control = tile_bytes(code.row());
  constexpr unsigned kRead = 32, kScaleColumns = 32, kScales = 256;
  tiles_to_shared(code);
  // %p1: first warp, %p2: the thread that issues; %r200: room, %r202: tensor memory.
  code.line("mov.u32 %r200, room;\nsetp.lt.u32 %p1, %t0, 32;\nsetp.eq.u32 %p2, %t0, 0;");
  code.line("add.u32 %r201, %r200, {};", control);
  code.line("@%p1 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r201], {};", columns);
  code.line("@%p1 tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
  code.line("@%p2 mbarrier.init.shared::cta.b64 [%r201+8], 1;");
  code.line("fence.proxy.async;\ntcgen05.fence::before_thread_sync;\nbar.sync 0;");
  code.line("tcgen05.fence::after_thread_sync;\nld.shared.u32 %r202, [%r201];");
  // Lanes of this warp: bits 16 and up of an address.
  code.line("and.b32 %r203, %t0, 96;\nshl.b32 %r203, %r203, 16;\nadd.u32 %r203, %r203, %r202;");
  if (scaled) {
    for (unsigned i = 0; i < kScaleColumns; ++i) code.line("mov.b32 %r{}, 0x7f7f7f7f;", i);
    code.line("add.u32 %r204, %r203, {};", kScales);
    code.line("tcgen05.st.sync.aligned.32x32b.x{}.b32 [%r204], {};", kScaleColumns,
              registers("r", 0, kScaleColumns));
    code.line("tcgen05.wait::st.sync.aligned;\ntcgen05.fence::before_thread_sync;\nbar.sync 0;");
    code.line("tcgen05.fence::after_thread_sync;\nadd.u32 %r205, %r202, {};", kScales);
    code.line("add.u32 %r206, %r202, {};", kScales + kScaleColumns / 2);
  }
  // Address / 16, the strides along k (128) and along rows (256) / 16, version 1; no swizzle.
  code.line("shr.u32 %r207, %r200, 4;\nand.b32 %r207, %r207, 0x3fff;\ncvt.u64.u32 %d10, %r207;");
  code.line("or.b64 %d10, %d10, {};", 1ULL << 46 | 16ULL << 32 | 8ULL << 16);
  code.line("add.u64 %d11, %d10, {};", kTileRow * t.m / 16);
  code.line("mov.u32 %r208, {};\nmov.u32 %r209, {};", instruction_descriptor(code.row(), false),
            instruction_descriptor(code.row(), true));
  const auto product = [&](bool negative, std::string_view adds) {
    code.line("@%p2 tcgen05.mma.cta_group::1.{} [%r202], %d10, %d11, %r{}{}, {};",
              mma_kind(t.operands), negative ? 209 : 208, scaled ? ", [%r205], [%r206]" : "", adds);
  };
  unsigned phase = 0;
  const auto wait = [&] {
    code.line(
        "@%p2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r201+8];");
    code.line("WAIT{}:\nmbarrier.try_wait.parity.shared::cta.b64 %p3, [%r201+8], {};", phase,
              phase % 2);
    code.line("@%p3 bra DONE{0};\nbra WAIT{0};\nDONE{0}:", phase);
    code.line("tcgen05.fence::after_thread_sync;");
    ++phase;
  };
  // The first product clears what it adds to: of all iterations, or, as nobody says that fp4 can be
  // negated, of each.
  code.loop([&] {
    code.line("setp.ne.u32 %p3, {}, 0;", scaled ? "0" : "%t4");
    for (unsigned i = 0; i < kBatch; ++i) {
      product(i % 2 == 1, "%p3");
      if (i == 0) code.line("setp.eq.u32 %p3, 0, 0;");
    }
  });
  wait();
  code.line("setp.eq.u32 %p3, 0, {};", integer ? 0 : 1);  // whether the last product adds
  product(false, "%p3");
  wait();
  code.at("%d1", "%t0", 4 * t.n);
  for (unsigned column = 0; column < t.n; column += kRead) {
    code.line("add.u32 %r204, %r203, {};", column);
    code.line("tcgen05.ld.sync.aligned.32x32b.x{}.b32 {}, [%r204];", kRead,
              registers("r", 0, kRead));
    code.line("tcgen05.wait::ld.sync.aligned;");
    for (unsigned i = 0; i < kRead; ++i)
      code.line("st.global.b32 [%d3+{}], %r{};", 4 * (column + i), i);
  }
  code.line("tcgen05.fence::before_thread_sync;\nbar.sync 0;");
  code.line("@%p1 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r202, {};", columns);
}

}  // namespace roofline::profile
