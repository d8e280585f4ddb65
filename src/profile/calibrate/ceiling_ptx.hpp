#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "profile/calibrate/ceiling_row.hpp"

/// Writing the PTX of one test's kernel.
namespace roofline::profile {

/// Of A and B of one tensor instruction from shared memory.
inline unsigned tile_bytes(const CeilingRow& row) {
  return kTileRow * (row.tensor.m + row.tensor.n);
}
/// Behind the tiles of tcgen05: where its sums were placed, and the barrier of its products.
inline constexpr unsigned kControlBytes = 16;
inline unsigned shared_bytes(const CeilingRow& row) {
  if (row.method == Method::shared_read) return 16 * kSharedSlots;
  if (row.method == Method::tcgen05) return tile_bytes(row) + kControlBytes;
  return row.method == Method::wgmma ? tile_bytes(row) : 0;
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

/// "{%r4, %r5, %r6}"
inline std::string registers(std::string_view kind, unsigned first, unsigned count) {
  std::string list;
  for (unsigned i = 0; i < count; ++i)
    list += fmt::format("{}%{}{}", i == 0 ? "" : ", ", kind, first + i);
  return "{" + list + "}";
}

// Bodies of the tensor kernels.
void mma(Code& code);
void wgmma(Code& code);
void tcgen05(Code& code);

}  // namespace roofline::profile
