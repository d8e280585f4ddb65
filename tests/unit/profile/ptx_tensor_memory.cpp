#include "unit/profile/ptx_tensor_memory.hpp"

#include <stdexcept>

#include "unit/profile/ptx_numbers.hpp"

namespace roofline::testing {
namespace {

constexpr unsigned kRows = 128, kWide = 256;  // the one shape that the kernels use

[[noreturn]] void refuse(const std::string& what) { throw std::runtime_error(what); }

/// What an instruction descriptor says: tables "Instruction descriptor format".
struct Meaning {
  std::string type;
  bool integer = false;
  double sign = 1;
};

Meaning meaning_of(const std::string& name, std::uint64_t bits) {
  const auto field = [&](unsigned low, unsigned count) {
    return static_cast<unsigned>(bits >> low & ((1U << count) - 1));
  };
  const auto is = [&](const char* kind) { return name.find(kind) != std::string::npos; };
  const bool scaled = is("kind::mxf4");
  Meaning read;
  read.integer = is("kind::i8");
  const unsigned type = field(7, 3);
  if (is("kind::f16")) read.type = type == 0 ? "f16" : type == 1 ? "bf16" : "";
  if (is("kind::tf32") && type == 2) read.type = "tf32";
  if (is("kind::f8f6f4")) read.type = type == 0 ? "e4m3" : type == 3 ? "e2m3" : "";
  if (read.integer && type == 1) read.type = "s8";
  if (scaled && type == 1) read.type = "e2m1";
  read.sign = field(13, 1) ? -1 : 1;
  if (read.type.empty() || field(10, 3) != type) refuse("types of the instruction descriptor");
  // Sums: of block-scaled kinds fp32 always, and bit 23 says that scales are ue8m0.
  if (field(4, 2) != (scaled ? 0U : read.integer ? 2U : 1U) || field(23, 1) != (scaled ? 1U : 0U))
    refuse("sums of the instruction descriptor");
  if (field(17, 6) != kWide / 8 || field(24, 5) != kRows / 16)
    refuse("shape of the instruction descriptor");
  const bool may_negate = !read.integer && !scaled;
  if (field(0, 4) != 0 || field(6, 1) != 0 || field(14, 3) != 0 || field(29, 3) != 0 ||
      (!may_negate && read.sign < 0) || bits >> 32 != 0)
    refuse("bits of the instruction descriptor");
  return read;
}

/// 32 bytes of row `row`, k-major without swizzle: 8 rows of 16 bytes stand together, the next 16
/// bytes along k a "leading" stride on, the next 8 rows a "stride" on. Bits 46 to 48 are 1.
std::vector<double> row_of(std::uint64_t descriptor, unsigned row, const std::string& type,
                           std::span<const unsigned char> shared, std::uint64_t shared_address) {
  if (descriptor >> 46 != 1) refuse("shared memory descriptor");
  const std::uint64_t start = (descriptor & 0x3fff) << 4,
                      leading = (descriptor >> 16 & 0x3fff) << 4,
                      stride = (descriptor >> 32 & 0x3fff) << 4;
  std::vector<double> values;
  for (unsigned chunk = 0; chunk < 2; ++chunk) {
    const auto at = start - shared_address + row / 8 * stride + chunk * leading + row % 8 * 16;
    if (at + 16 > shared.size()) refuse("descriptor beyond shared memory");
    for (const double x : chunk_elements(shared.data() + at, type)) values.push_back(x);
  }
  return values;
}

}  // namespace

std::uint32_t TensorMemory::allocate(std::uint64_t columns) {
  if (columns < 32 || columns > kColumns || (columns & (columns - 1)) != 0)
    refuse("columns are a power of two from 32 to 512");
  if (!allocated()) cells_.assign(std::size_t{kLanes} * kColumns, 0x7fc00000);
  columns_ = static_cast<unsigned>(columns);
  first_ = kColumns - columns_;  // whoever forgets the base is found out
  return first_;
}

void TensorMemory::give_back(std::uint64_t address, std::uint64_t columns) {
  if (address != first_ || columns != columns_) refuse("gives back what it was not given");
}

std::uint32_t& TensorMemory::cell(std::uint64_t address, unsigned lane, unsigned column) {
  const auto at_lane = (address >> 16) + lane, at_column = (address & 0xffff) + column;
  if (at_lane >= kLanes || at_column < first_ || at_column >= first_ + columns_)
    refuse("beyond tensor memory");
  return cells_[at_lane * kColumns + at_column];
}

void TensorMemory::multiply(const Product& product, std::span<const unsigned char> shared,
                            std::uint64_t shared_address) {
  const auto meaning = meaning_of(product.name, product.instruction);
  if (product.scales)  // wherever their bytes go: in 4 columns for 128 rows, in 8 for 256
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      for (unsigned c = 0; c < 4; ++c)
        if (cell(product.scales->first, lane, c) != 0x7f7f7f7f) refuse("scales of A are not 1");
      for (unsigned c = 0; c < 8; ++c)
        if (cell(product.scales->second, lane, c) != 0x7f7f7f7f) refuse("scales of B are not 1");
    }
  std::vector<std::vector<double>> columns;
  for (unsigned j = 0; j < kWide; ++j)
    columns.push_back(row_of(product.b, j, meaning.type, shared, shared_address));
  for (unsigned i = 0; i < kRows; ++i) {
    const auto row = row_of(product.a, i, meaning.type, shared, shared_address);
    for (unsigned j = 0; j < kWide; ++j) {
      auto& place = cell(product.sums, i, j);
      double total = 0;
      if (product.adds)
        total = meaning.integer ? static_cast<double>(static_cast<std::int32_t>(place))
                                : double{std::bit_cast<float>(place)};
      for (std::size_t x = 0; x < row.size(); ++x) total += meaning.sign * row[x] * columns[j][x];
      place = meaning.integer ? static_cast<std::uint32_t>(static_cast<std::int64_t>(total))
                              : std::bit_cast<std::uint32_t>(static_cast<float>(total));
    }
  }
}

}  // namespace roofline::testing
