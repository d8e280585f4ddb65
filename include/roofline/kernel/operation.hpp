#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace roofline {

/// An argument of an operator, as a framework's trace tells it.
struct Operand {
  std::string type;   ///< as the file says it: "c10::BFloat16", "float", "Scalar"; empty: not told
  std::string value;  ///< of a scalar or a list, as text: "1", "[2, 2]", "False"
  bool tensor = false;                 ///< it has a shape; one of rank 0 has an empty one
  std::vector<std::uint64_t> shape;    ///< elements
  std::vector<std::uint64_t> strides;  ///< elements; empty: not told
  bool operator==(const Operand&) const = default;
};

/// What a launch was for, by the words of the framework that launched it: an operator with its
/// operands ("aten::mm", two matrices), a collective ("nccl", with its size), a row of a benchmark.
/// Nothing is computed here; ingest/mapping makes work of it where it can.
struct Operation {
  std::string name;
  std::vector<Operand> operands;
  std::vector<std::pair<std::string, std::string>> attributes;  ///< by key, sorted by the writer

  std::string_view attribute(std::string_view key) const;  ///< empty: it has none
  bool operator==(const Operation&) const = default;
};

/// An operation as the numbers of a capture record and back; `id_of` gives the id of a text,
/// `text_of` the text of an id. unpack: false for numbers that pack() never wrote.
std::vector<std::uint64_t> pack(const Operation& operation,
                                const std::function<std::uint64_t(std::string_view)>& id_of);
bool unpack(const std::vector<std::uint64_t>& numbers,
            const std::function<const std::string&(std::uint64_t)>& text_of, Operation& operation);

/// "aten::mm [1,2048]x[2048,512] bf16": for people; at most `operands` operands.
std::string operation_text(const Operation& operation, std::size_t operands = 4);

}  // namespace roofline
