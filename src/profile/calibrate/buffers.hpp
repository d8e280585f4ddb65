#pragma once

#include <cstdint>
#include <vector>

#include "profile/calibrate/ceiling_row.hpp"

namespace roofline::profile {

/// What a test's kernel is given, and what it must leave: computed on the host, so that a kernel
/// that was optimised away, or emulated, is found out.
struct TestData {
  std::vector<unsigned char> input;  ///< repeated until the buffer is full
  std::size_t input_bytes = 0, output_bytes = 0;
  std::uint64_t count = 0;  ///< elements of 16 bytes that a sweep covers
  unsigned blocks = 1, iterations = 1;
  double work = 0;  ///< bytes or operations of one launch
};

/// Sizes and input of a kernel on this device, with at most `free_bytes` of its memory. Random
/// data: a GPU that multiplies zeros takes less power and runs at a higher clock.
TestData test_data(const CeilingRow& row, const cuda::DeviceInfo& device, std::size_t free_bytes);

/// What is wrong with the output; empty: it is what it must be. `output`: the first bytes of it, as
/// many as checked_bytes() says.
std::string output_fault(const CeilingRow& row, const TestData& data,
                         const std::vector<unsigned char>& output);
std::size_t checked_bytes(const CeilingRow& row, const TestData& data);

}  // namespace roofline::profile
