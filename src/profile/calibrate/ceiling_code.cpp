// The kernels of the tests as PTX. All take (input, output, count, iterations): `count` elements of
// 16 bytes where memory is swept. Whatever they compute is stored, and held against a reference.
#include <fmt/format.h>

#include "profile/calibrate/ceiling_row.hpp"

namespace roofline::profile {
namespace {

constexpr unsigned kTileBytes = 32 * (64 + 256);  ///< of A and B of one wgmma

unsigned shared_bytes(const CeilingRow& row) {
  if (row.method == Method::shared_read) return 16 * kSharedSlots;
  return row.method == Method::wgmma ? kTileBytes : 0;
}

/// Registers: %t0 thread of the block, %t1 thread of the grid, %t2 threads of the grid, %t3
/// iterations, %t4 loop counter; %d0 input, %d1 output, %d2 count. The compiler of the driver drops
/// what is declared and not used.
class Code {
 public:
  Code(const CeilingRow& row, int capability) : row_(row) {
    line(".version {}\n.target {}\n.address_size 64", row.isa, row.target);
    line(
        ".visible .entry {}(.param .u64 input, .param .u64 output, .param .u64 count, .param .u32 "
        "iterations)\n.maxntid {}, 1, 1\n.minnctapersm {}\n{{",
        kernel_name(row), row.threads, blocks_per_sm(row, capability));
    line(
        ".reg .pred %p<4>;\n.reg .b32 %t<8>;\n.reg .b32 %r<320>;\n.reg .b64 %d<64>;\n.reg .f32 "
        "%f<32>;\n.reg .f64 %g<64>;");
    if (const auto bytes = shared_bytes(row)) line(".shared .align 1024 .b8 room[{}];", bytes);
    line("mov.u32 %t0, %tid.x;\nmov.u32 %t1, %ctaid.x;\nmov.u32 %t2, %ntid.x;");
    line("mad.lo.u32 %t1, %t1, %t2, %t0;\nmov.u32 %t5, %nctaid.x;\nmul.lo.u32 %t2, %t2, %t5;");
    line("ld.param.u32 %t3, [iterations];\nmov.u32 %t4, 0;");
    line("ld.param.u64 %d0, [input];\ncvta.to.global.u64 %d0, %d0;");
    line("ld.param.u64 %d1, [output];\ncvta.to.global.u64 %d1, %d1;\nld.param.u64 %d2, [count];");
  }

  template <class... Words>
  void line(fmt::format_string<Words...> text, Words&&... words) {
    text_ += fmt::format(text, std::forward<Words>(words)...) + "\n";
  }
  /// The body runs `iterations` times.
  template <class Body>
  void loop(Body body) {
    line("REPEAT:");
    body();
    line("add.u32 %t4, %t4, 1;\nsetp.lt.u32 %p0, %t4, %t3;\n@%p0 bra REPEAT;");
  }
  /// %d3 = base + index * bytes.
  void at(std::string_view base, std::string_view index, unsigned bytes) {
    line("mad.wide.u32 %d3, {}, {}, {};", index, bytes, base);
  }
  std::string finish() {
    line("ret;\n}}");
    return std::move(text_);
  }
  const CeilingRow& row() const { return row_; }

 private:
  const CeilingRow& row_;
  std::string text_;
};

std::string registers(std::string_view kind, unsigned first, unsigned count) {
  std::string list;
  for (unsigned i = 0; i < count; ++i)
    list += fmt::format("{}%{}{}", i == 0 ? "" : ", ", kind, first + i);
  return "{" + list + "}";
}

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

/// The sums of a thread, behind those of the threads before it; `place`: 0 for what is verified, 1
/// for what the loop left. Stored, so that no compiler drops the loop.
void store_sums(Code& code, std::string_view kind, unsigned first, unsigned count, unsigned bytes,
                std::string_view type, unsigned place) {
  if (place > 0) code.line("mov.u32 %t5, %ntid.x;\nadd.u32 %t5, %t5, %t0;");
  code.at("%d1", place > 0 ? "%t5" : "%t0", bytes * count);
  for (unsigned i = 0; i < count; ++i)
    code.line("st.global.{} [%d3+{}], %{}{};", type, bytes * i, kind, first + i);
}

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
  code.line("mov.u32 %r200, room;\nshl.b32 %r201, %t0, 4;\nadd.u32 %r200, %r200, %r201;");
  code.at("%d0", "%t0", 16);
  for (unsigned at = 0; at < kTileBytes; at += 16 * 128) {
    code.line("ld.global.v4.u32 {}, [%d3+{}];", registers("r", 204, 4), at);
    code.line("st.shared.v4.u32 [%r200+{}], {};", at, registers("r", 204, 4));
  }
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
    case Method::stream_launch:
    case Method::graph_launch:
    case Method::copy_to_device:
    case Method::copy_to_host: break;  // an empty kernel, or none
  }
  return code.finish();
}

}  // namespace roofline::profile
