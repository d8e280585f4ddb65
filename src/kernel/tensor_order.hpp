#pragma once

#include <vector>

#include "kernel/entry.hpp"

namespace roofline {

/// Follows the shared tensors through the kernels in order: an intermediate is written before it is
/// read, and both; any tensor is used by somebody.
class TensorOrder {
 public:
  explicit TensorOrder(std::size_t tensors) : states_(tensors) {}

  /// A kernel that was evaluated. Errors: an intermediate that nobody has written yet.
  void pass(Reading& reading, const Entry& entry, const Kernel& kernel, const Surroundings& around);
  /// After the last kernel. Errors: unused tensors, intermediates that are never written or never
  /// read.
  void close(Reading& reading, const Surroundings& around) const;

 private:
  struct State {
    bool used = false, read = false, written = false, reported = false;
  };
  std::vector<State> states_;
};

}  // namespace roofline
