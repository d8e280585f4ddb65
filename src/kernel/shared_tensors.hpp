#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/expression.hpp"
#include "roofline/kernel/kernel.hpp"

namespace roofline {

/// `tensors:` of a description: what several kernels share by name.
class SharedTensors {
 public:
  /// `dtype`: of tensors that do not say.
  void read(Reading& reading, const YamlNode* node, const Scope& scope, std::optional<DType> dtype);

  std::size_t size() const { return tensors_.size(); }
  std::optional<std::size_t> find(std::string_view name) const;
  const std::string& name(std::size_t i) const { return tensors_[i].name; }
  DType dtype(std::size_t i) const { return tensors_[i].dtype; }
  std::span<const Expression> shape(std::size_t i) const { return tensors_[i].shape; }
  bool intermediate(std::size_t i) const { return tensors_[i].intermediate; }
  bool varies(std::size_t i) const { return tensors_[i].varies; }
  /// "unknown tensor", with the nearest name.
  void report_unknown(Reading& reading, const YamlNode& node) const;

  /// Sizes and bytes at one point; with `varying_only` the others are there from the point before.
  std::optional<Error> evaluate(std::span<const Count> values, bool varying_only,
                                std::vector<SharedTensor>& tensors,
                                const YamlDocument& places) const;
  Location where(std::size_t i, const YamlDocument& places) const;

 private:
  struct Declared {
    std::string name, size_name;  ///< size_name: of a size in messages
    std::vector<Expression> shape;
    DType dtype = DType::fp32;
    bool intermediate = false;
    bool varies = false;
    int line = 0, column = 0;
  };

  void read_tensor(Reading& reading, const YamlNode& key, const YamlNode& node, const Scope& scope,
                   std::optional<DType> dtype);

  std::vector<Declared> tensors_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
};

/// A dtype by its name, or nothing and an error with the nearest.
std::optional<DType> read_dtype(Reading& reading, const YamlNode& node);

}  // namespace roofline
