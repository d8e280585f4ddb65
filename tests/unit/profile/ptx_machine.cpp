#include "unit/profile/ptx_machine.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <set>
#include <sstream>
#include <stdexcept>

#include "unit/profile/ptx_numbers.hpp"
#include "unit/profile/ptx_tensor_memory.hpp"

namespace roofline::testing {
namespace {

constexpr std::uint64_t kInput = 1ULL << 40, kOutput = 1ULL << 41, kRoom = 1024;

struct Instruction {
  std::string label, guard, name;
  std::vector<std::string> operands;  // a group in braces is one operand
};

std::string stripped(std::string text) {
  const auto from = text.find_first_not_of(" \t\n");
  if (from == std::string::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t\n") - from + 1);
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (const char c : text) {
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c == ',' && depth == 0)
      parts.push_back(stripped(part)), part.clear();
    else
      part += c;
  }
  if (!stripped(part).empty()) parts.push_back(stripped(part));
  return parts;
}

std::vector<std::string> members(const std::string& group) {
  return split(group.substr(1, group.size() - 2));
}

std::vector<Instruction> parse(const std::string& ptx) {
  std::vector<Instruction> program;
  const auto body = ptx.substr(ptx.find("\n{") + 2);
  std::string label;
  std::istringstream lines(body);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream statements(line);
    for (std::string one; std::getline(statements, one, ';');) {
      one = stripped(one);
      if (one.empty() || one == "}" || one.starts_with(".reg") || one.starts_with(".shared"))
        continue;
      if (one.ends_with(':')) {
        label = one.substr(0, one.size() - 1);
        continue;
      }
      Instruction instruction;
      std::swap(instruction.label, label);
      if (one.starts_with('@')) {
        const auto end = one.find(' ');
        instruction.guard = one.substr(1, end - 1);
        one = stripped(one.substr(end));
      }
      const auto end = one.find(' ');
      instruction.name = one.substr(0, end);
      if (end != std::string::npos) instruction.operands = split(one.substr(end));
      program.push_back(std::move(instruction));
    }
  }
  return program;
}

/// The nearest of all 65536 values; ties to even digits. By search, not by arithmetic on bits.
template <double (*Value)(std::uint16_t)>
std::uint16_t nearest(double wanted) {
  static const auto& sorted = *[] {
    auto* all = new std::vector<std::pair<double, std::uint16_t>>;
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
      const auto narrow = static_cast<std::uint16_t>(bits);
      if (std::isfinite(Value(narrow)) && std::abs(Value(narrow)) < 60000 && narrow != 0x8000)
        all->emplace_back(Value(narrow), narrow);
    }
    std::sort(all->begin(), all->end());
    return all;
  }();
  const auto above =
      std::lower_bound(sorted.begin(), sorted.end(), std::pair(wanted, std::uint16_t{0}));
  if (above == sorted.begin()) return above->second;
  if (above == sorted.end()) return std::prev(above)->second;
  const double up = above->first - wanted, down = wanted - std::prev(above)->first;
  if (up != down) return up < down ? above->second : std::prev(above)->second;
  return above->second % 2 == 0 ? above->second : std::prev(above)->second;
}

class Block {
 public:
  Block(PtxMachine& machine, const std::vector<Instruction>& program, unsigned block,
        unsigned blocks, unsigned threads)
      : machine_(machine),
        program_(program),
        block_(block),
        blocks_(blocks),
        threads_(threads),
        registers_(threads),
        room_(1 << 16) {
    for (std::size_t i = 0; i < program.size(); ++i)
      if (!program[i].label.empty()) labels_[program[i].label] = i;
  }

  void run() {
    for (std::size_t at = 0; at < program_.size();) {
      const auto& i = program_[at];
      if (i.name == "ret") return;
      ++machine_.executed[i.name];
      if (i.name == "bra") {
        at = all_agree(i.guard) ? labels_.at(i.operands[0]) : at + 1;
        continue;
      }
      if (i.name.starts_with("mma.sync")) {
        for (unsigned warp = 0; warp < threads_; warp += 32) mma(i, warp);
      } else if (i.name.starts_with("wgmma.mma_async")) {
        wgmma(i);
      } else if (i.name.starts_with("tcgen05.mma")) {
        unsigned issued = 0;
        for (thread_ = 0; thread_ < threads_; ++thread_)
          if (value(i.guard)) tensor_memory_mma(i), ++issued;
        if (issued != 1) throw std::runtime_error("not issued by one thread");
      } else {
        for (thread_ = 0; thread_ < threads_; ++thread_)
          if (i.guard.empty() || value(i.guard)) execute(i);
      }
      ++at;
    }
    throw std::runtime_error("no ret");
  }

 private:
  bool all_agree(const std::string& guard) {
    if (guard.empty()) return true;
    thread_ = 0;
    const bool first = value(guard) != 0;
    for (thread_ = 1; thread_ < threads_; ++thread_)
      if ((value(guard) != 0) != first) throw std::runtime_error("threads part at " + guard);
    return first;
  }

  std::uint64_t value(const std::string& operand) {
    if (operand == "%tid.x") return thread_;
    if (operand == "%ctaid.x") return block_;
    if (operand == "%ntid.x") return threads_;
    if (operand == "%nctaid.x") return blocks_;
    if (operand == "room") return kRoom;
    if (operand.starts_with('%')) return registers_[thread_][operand];
    if (operand.starts_with("0f") || operand.starts_with("0d"))
      return std::stoull(operand.substr(2), nullptr, 16);
    return std::stoull(operand, nullptr, 0);
  }
  void set(const std::string& name, std::uint64_t bits) { registers_[thread_][name] = bits; }
  float f(const std::string& operand) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(value(operand)));
  }
  double d(const std::string& operand) { return std::bit_cast<double>(value(operand)); }
  void set_f(const std::string& name, float x) { set(name, std::bit_cast<std::uint32_t>(x)); }
  void set_d(const std::string& name, double x) { set(name, std::bit_cast<std::uint64_t>(x)); }

  /// "[%d3+16]" in the memory that the instruction names.
  unsigned char* memory(const std::string& operand, bool shared, std::size_t bytes) {
    const auto inner = operand.substr(1, operand.size() - 2);
    const auto plus = inner.find('+');
    std::uint64_t address = value(inner.substr(0, plus));
    if (plus != std::string::npos) address += std::stoull(inner.substr(plus + 1));
    if (address % bytes != 0) throw std::runtime_error("misaligned " + operand);
    auto& place = shared ? room_ : address >= kOutput ? machine_.output : machine_.input;
    const std::uint64_t base = shared ? kRoom : address >= kOutput ? kOutput : kInput;
    if (address < base || address - base + bytes > place.size())
      throw std::runtime_error("beyond a buffer: " + operand);
    return place.data() + (address - base);
  }

  void load_or_store(const Instruction& i) {
    const bool load = i.name.starts_with("ld"),
               shared = i.name.find(".shared") != std::string::npos;
    const auto& place = i.operands[load ? 1 : 0];
    const auto& names = i.operands[load ? 0 : 1];
    const auto list = names.starts_with('{') ? members(names) : std::vector<std::string>{names};
    const std::size_t size = i.name.ends_with("64") ? 8 : 4;
    unsigned char* at = memory(place, shared, size * list.size());
    for (const auto& name : list) {
      std::uint64_t bits = load ? 0 : value(name);
      if (load)
        std::memcpy(&bits, at, size), set(name, bits);
      else
        std::memcpy(at, &bits, size);
      at += size;
    }
  }

  template <double (*Value)(std::uint16_t)>
  void fma_pair(const std::vector<std::string>& o) {
    std::uint64_t result = 0;
    for (const int shift : {0, 16}) {
      const auto part = [&](const std::string& operand) {
        return Value(static_cast<std::uint16_t>(value(operand) >> shift));
      };
      result |= std::uint64_t{nearest<Value>(part(o[1]) * part(o[2]) + part(o[3]))} << shift;
    }
    set(o[0], result);
  }

  void execute(const Instruction& i) {
    const auto& n = i.name;
    const auto& o = i.operands;
    const auto low = [&](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    const bool wide = n.ends_with("64");
    const auto store = [&](std::uint64_t x) { set(o[0], wide ? x : low(x)); };
    if (n == "ld.param.u64" || n == "ld.param.u32")
      store(o[1] == "[input]"    ? kInput
            : o[1] == "[output]" ? kOutput
            : o[1] == "[count]"  ? machine_.count
                                 : machine_.iterations);
    else if (n.starts_with("ld.") || n.starts_with("st."))
      load_or_store(i);
    else if (n.starts_with("mov.") || n.starts_with("cvta.") || n == "cvt.u64.u32")
      set(o[0], value(o[1]));
    else if (n.starts_with("add.u"))
      store(value(o[1]) + value(o[2]));
    else if (n == "mul.lo.u32")
      store(value(o[1]) * value(o[2]));
    else if (n == "mad.lo.u32")
      store(value(o[1]) * value(o[2]) + value(o[3]));
    else if (n == "mad.wide.u32")
      set(o[0], value(o[1]) * value(o[2]) + value(o[3]));
    else if (n.starts_with("shl."))
      store(value(o[1]) << value(o[2]));
    else if (n.starts_with("shr."))
      store(value(o[1]) >> value(o[2]));
    else if (n.starts_with("and."))
      store(value(o[1]) & value(o[2]));
    else if (n.starts_with("or."))
      store(value(o[1]) | value(o[2]));
    else if (n.starts_with("xor."))
      store(value(o[1]) ^ value(o[2]));
    else if (n.starts_with("setp.lt"))
      set(o[0], value(o[1]) < value(o[2]));
    else if (n.starts_with("setp.ge"))
      set(o[0], value(o[1]) >= value(o[2]));
    else if (n.starts_with("setp.ne"))
      set(o[0], value(o[1]) != value(o[2]));
    else if (n.starts_with("setp.eq"))
      set(o[0], value(o[1]) == value(o[2]));
    else if (n == "fma.rn.f32")
      set_f(o[0], std::fma(f(o[1]), f(o[2]), f(o[3])));
    else if (n == "fma.rn.f64")
      set_d(o[0], std::fma(d(o[1]), d(o[2]), d(o[3])));
    else if (n == "fma.rn.f16x2")
      fma_pair<half>(o);
    else if (n == "fma.rn.bf16x2")
      fma_pair<brain>(o);
    else if (n == "neg.f32")
      set_f(o[0], -f(o[1]));
    else if (n == "neg.f64")
      set_d(o[0], -d(o[1]));
    else if (n == "ex2.approx.ftz.f32")
      set_f(o[0], std::exp2(f(o[1])));
    else if (n.starts_with("mbarrier.") || n.starts_with("tcgen05."))
      tensor_memory(i);
    else if (!n.starts_with("bar.") && !n.starts_with("fence.") && !n.starts_with("wgmma."))
      throw std::runtime_error("what is " + n);
  }

  double sum(const std::string& name, const std::string& type) {
    if (type == "f64") return d(name);
    if (type == "f32") return f(name);
    return static_cast<std::int32_t>(value(name));
  }
  void set_sum(const std::string& name, const std::string& type, double x) {
    if (type == "f64")
      set_d(name, x);
    else if (type == "f32")
      set_f(name, static_cast<float>(x));
    else
      set(name, static_cast<std::uint32_t>(static_cast<std::int64_t>(x)));
  }

  /// mma.sync.aligned.mMnNkK.row.col.D.A.B.C, fragments filled in as the manual's pictures go: A in
  /// quarters of 8 rows and half of k (upper left, lower left, upper right, lower right), B in
  /// halves of k, four lanes to a row.
  void mma(const Instruction& i, unsigned warp) {
    std::vector<std::string> words;
    std::istringstream parts(i.name);
    for (std::string part; std::getline(parts, part, '.');) words.push_back(part);
    unsigned m = 0, n = 0, k = 0;
    std::sscanf(words[3].c_str(), "m%un%uk%u", &m, &n, &k);
    const auto& sums = words[6];
    const auto& type = words[7];
    std::array<std::array<double, 64>, 16> a{};
    std::array<std::array<double, 8>, 64> b{};
    const auto an = members(i.operands[1]), bn = members(i.operands[2]),
               dn = members(i.operands[0]), cn = members(i.operands[3]);
    const unsigned row_blocks = m / 8, k_blocks = static_cast<unsigned>(bn.size());
    if (an.size() != std::size_t{row_blocks} * k_blocks) throw std::runtime_error("registers of A");
    for (unsigned lane = 0; lane < 32; ++lane) {
      thread_ = warp + lane;
      for (unsigned kb = 0; kb < k_blocks; ++kb) {
        const unsigned first_k = kb * k / k_blocks;
        for (unsigned rb = 0; rb < row_blocks; ++rb) {
          const auto values = elements(value(an[kb * row_blocks + rb]), type);
          for (unsigned e = 0; e < values.size(); ++e)
            a[rb * 8 + lane / 4][first_k + lane % 4 * values.size() + e] = values[e];
        }
        const auto values = elements(value(bn[kb]), type);
        for (unsigned e = 0; e < values.size(); ++e)
          b[first_k + lane % 4 * values.size() + e][lane / 4] = values[e];
      }
    }
    for (unsigned lane = 0; lane < 32; ++lane) {
      thread_ = warp + lane;
      for (unsigned c = 0; c < dn.size(); ++c) {
        const unsigned row = lane / 4 + (c >= 2 ? 8 : 0), column = lane % 4 * 2 + c % 2;
        double total = sum(cn[c], sums);
        for (unsigned x = 0; x < k; ++x) total += a[row][x] * b[x][column];
        set_sum(dn[c], sums, total);
      }
    }
  }

  /// A row of 32 bytes of an operand that a descriptor without swizzle names, k-major: 8 rows of 16
  /// bytes stand together, the next along k a "leading" stride on, the next rows a "stride" on.
  std::vector<double> tile_row(std::uint64_t descriptor, unsigned row, const std::string& type) {
    const std::uint64_t start = (descriptor & 0x3fff) << 4,
                        leading = (descriptor >> 16 & 0x3fff) << 4,
                        stride = (descriptor >> 32 & 0x3fff) << 4;
    std::vector<double> values;
    for (unsigned chunk = 0; chunk < 2; ++chunk) {
      const auto at = (start - kRoom) + row / 8 * stride + chunk * leading + row % 8 * 16;
      for (const double x : chunk_elements(room_.data() + at, type)) values.push_back(x);
    }
    return values;
  }

  void wgmma(const Instruction& i) {
    std::vector<std::string> words;
    std::istringstream parts(i.name);
    for (std::string part; std::getline(parts, part, '.');) words.push_back(part);
    const auto& sums = words[5];
    const auto& type = words[6];
    thread_ = 0;
    const auto a = value(i.operands[1]), b = value(i.operands[2]);
    const double sign = i.operands.size() > 5 && i.operands[5] == "-1" ? -1 : 1;
    const bool adds = value(i.operands[3]) != 0;  // scale-d
    if (a >> 62 || b >> 62) throw std::runtime_error("swizzled");
    const auto names = members(i.operands[0]);
    std::vector<std::vector<double>> rows, columns;
    for (unsigned row = 0; row < 64; ++row) rows.push_back(tile_row(a, row, type));
    for (unsigned column = 0; column < 256; ++column) columns.push_back(tile_row(b, column, type));
    for (thread_ = 0; thread_ < 128; ++thread_)
      for (unsigned c = 0; c < names.size(); ++c) {
        const unsigned row = thread_ / 32 * 16 + thread_ % 32 / 4 + (c & 2 ? 8 : 0),
                       column = c / 4 * 8 + thread_ % 4 * 2 + (c & 1);
        double total = adds ? sum(names[c], sums) : 0;
        for (std::size_t x = 0; x < rows[row].size(); ++x)
          total += sign * rows[row][x] * columns[column][x];
        set_sum(names[c], sums, total);
      }
  }

  // ------------------------------------------------------------ tcgen05
  std::uint64_t address(const std::string& place) {
    return value(place.substr(1, place.size() - 2));
  }

  void tensor_memory(const Instruction& i) {
    const auto& n = i.name;
    const auto& o = i.operands;
    const bool load = n.starts_with("tcgen05.ld."), store = n.starts_with("tcgen05.st.");
    if (n.starts_with("tcgen05.alloc")) {
      const auto base = tensor_memory_.allocate(value(o[1]));
      std::memcpy(memory(o[0], true, 4), &base, 4);
    } else if (n.starts_with("tcgen05.dealloc")) {
      tensor_memory_.give_back(value(o[0]), value(o[1]));
    } else if (n.starts_with("mbarrier.init")) {
      if (value(o[1]) != 1) throw std::runtime_error("arrivals of the barrier");
      memory(o[0], true, 8);
      phases_ = 0;
    } else if (n.starts_with("tcgen05.commit")) {
      ++phases_;  // products are done at once here
    } else if (n.starts_with("mbarrier.try_wait.parity")) {
      if ((phases_ & 1) == value(o[2])) throw std::runtime_error("waits forever");
      set(o[0], 1);
    } else if (load || store) {
      const auto at = address(o[load ? 1 : 0]);
      const auto names = members(o[load ? 0 : 1]);
      if (at >> 16 != thread_ / 32 % 4 * 32) throw std::runtime_error("lanes of another warp");
      if (n.find(".32x32b.x" + std::to_string(names.size()) + ".") == std::string::npos)
        throw std::runtime_error("registers of " + n);
      for (unsigned c = 0; c < names.size(); ++c) {
        auto& cell = tensor_memory_.cell(at, thread_ % 32, c);
        if (load)
          set(names[c], cell);
        else
          cell = static_cast<std::uint32_t>(value(names[c]));
      }
    } else if (!n.starts_with("tcgen05.relinquish") && !n.starts_with("tcgen05.fence") &&
               !n.starts_with("tcgen05.wait")) {
      throw std::runtime_error("what is " + n);
    }
  }

  void tensor_memory_mma(const Instruction& i) {
    const auto& o = i.operands;
    TensorMemory::Product product{.name = i.name,
                                  .sums = address(o[0]),
                                  .a = value(o[1]),
                                  .b = value(o[2]),
                                  .instruction = value(o[3]),
                                  .scales = {},
                                  .adds = value(o.back()) != 0};
    if (o.size() == 7) product.scales = {address(o[4]), address(o[5])};
    tensor_memory_.multiply(product, room_, kRoom);
  }
  TensorMemory tensor_memory_;
  unsigned phases_ = 0;

  PtxMachine& machine_;
  const std::vector<Instruction>& program_;
  unsigned block_, blocks_, threads_, thread_ = 0;
  std::vector<std::map<std::string, std::uint64_t>> registers_;
  std::vector<unsigned char> room_;
  std::map<std::string, std::size_t> labels_;
};

}  // namespace

std::string PtxMachine::run(const std::string& ptx, unsigned blocks, unsigned threads) {
  const auto program = parse(ptx);
  try {
    for (unsigned block = 0; block < blocks; ++block)
      Block(*this, program, block, blocks, threads).run();
  } catch (const std::exception& fault) {
    return fault.what();
  }
  return {};
}

}  // namespace roofline::testing
