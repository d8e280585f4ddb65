// roofline_embed SPECS OUTPUT: reads specs/ with the program's own readers and writes it as one C++ source.
#include <cstdio>

#include "machine/embed/spec_tree.hpp"
#include "roofline/base/input.hpp"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: roofline_embed SPECS OUTPUT\n", stderr);
    return 2;
  }
  const auto tree = roofline::read_spec_tree(argv[1]);
  if (!tree) {
    std::fputs(roofline::format_errors(tree.error(), false).c_str(), stderr);
    return 2;
  }
  const auto written = roofline::write_atomically(argv[2], roofline::generated_source(*tree));
  if (!written) {
    std::fputs(roofline::format_errors(std::span(&written.error(), 1), false).c_str(), stderr);
    return 2;
  }
  return 0;
}
