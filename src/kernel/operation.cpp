#include "roofline/kernel/operation.hpp"

#include <fmt/format.h>

#include "roofline/base/text.hpp"

namespace roofline {
namespace {

constexpr std::size_t kMostOperands = 4096, kMostDimensions = 64;

/// Takes numbers one after the other; past the end, or a count that cannot be, is a fault.
class Taker {
 public:
  explicit Taker(const std::vector<std::uint64_t>& numbers) : numbers_(numbers) {}
  std::uint64_t next() {
    if (at_ < numbers_.size()) return numbers_[at_++];
    good_ = false;
    return 0;
  }
  std::size_t count(std::size_t most) {
    const auto value = next();
    if (value <= most && value <= numbers_.size() - at_) return static_cast<std::size_t>(value);
    good_ = false;
    return 0;
  }
  std::vector<std::uint64_t> list() {
    std::vector<std::uint64_t> values(count(kMostDimensions));
    for (auto& value : values) value = next();
    return values;
  }
  bool good() const { return good_; }
  bool done() const { return good_ && at_ == numbers_.size(); }

 private:
  const std::vector<std::uint64_t>& numbers_;
  std::size_t at_ = 0;
  bool good_ = true;
};

void put_list(std::vector<std::uint64_t>& numbers, const std::vector<std::uint64_t>& values) {
  const auto count = std::min(values.size(), kMostDimensions);
  numbers.push_back(count);
  numbers.insert(numbers.end(), values.begin(),
                 values.begin() + static_cast<std::ptrdiff_t>(count));
}

}  // namespace

std::string_view Operation::attribute(std::string_view key) const {
  for (const auto& [word, value] : attributes)
    if (word == key) return value;
  return {};
}

std::vector<std::uint64_t> pack(const Operation& operation,
                                const std::function<std::uint64_t(std::string_view)>& id_of) {
  std::vector<std::uint64_t> numbers{id_of(operation.name)};
  const auto operands = std::min(operation.operands.size(), kMostOperands);
  numbers.push_back(operands);
  for (std::size_t i = 0; i < operands; ++i) {
    const auto& operand = operation.operands[i];
    numbers.push_back(operand.type.empty() ? 0 : id_of(operand.type));
    numbers.push_back(operand.value.empty() ? 0 : id_of(operand.value));
    numbers.push_back(operand.tensor ? 1 : 0);
    put_list(numbers, operand.shape);
    put_list(numbers, operand.strides);
  }
  const auto attributes = std::min(operation.attributes.size(), kMostOperands);
  numbers.push_back(attributes);
  for (std::size_t i = 0; i < attributes; ++i) {
    numbers.push_back(id_of(operation.attributes[i].first));
    numbers.push_back(id_of(operation.attributes[i].second));
  }
  return numbers;
}

bool unpack(const std::vector<std::uint64_t>& numbers,
            const std::function<const std::string&(std::uint64_t)>& text_of, Operation& operation) {
  Taker take(numbers);
  const auto text = [&]() -> std::string {
    const auto id = take.next();
    return id == 0 ? std::string() : text_of(id);
  };
  operation = {};
  operation.name = text();
  operation.operands.resize(take.count(kMostOperands));
  for (auto& operand : operation.operands) {
    operand.type = text();
    operand.value = text();
    operand.tensor = take.next() == 1;
    operand.shape = take.list();
    operand.strides = take.list();
    if (!take.good()) return false;
  }
  operation.attributes.resize(take.count(kMostOperands));
  for (auto& [key, value] : operation.attributes) {
    key = text();
    value = text();
  }
  return take.done();
}

std::string operation_text(const Operation& operation, std::size_t operands) {
  std::string text = printable(operation.name);
  std::size_t shown = 0;
  std::string type;  // of the first tensor, in the framework's word
  for (const auto& operand : operation.operands)
    if (operand.tensor && !operand.shape.empty() && type.empty()) type = operand.type;
  if (const auto colons = type.rfind("::"); colons != std::string::npos) type.erase(0, colons + 2);
  const auto with_type = [&](std::string words) {
    return type.empty() ? words : words + ' ' + printable(type);
  };
  for (const auto& operand : operation.operands) {
    if (!operand.tensor || operand.shape.empty()) continue;
    if (shown == operands) return with_type(text + " ...");
    text += shown++ == 0 ? " [" : " x [";
    for (std::size_t i = 0; i < operand.shape.size(); ++i)
      text += fmt::format("{}{}", i == 0 ? "" : ",", operand.shape[i]);
    text += ']';
  }
  return with_type(std::move(text));
}

}  // namespace roofline
