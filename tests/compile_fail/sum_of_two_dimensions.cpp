// Bytes and FLOPs do not add up.
// expect: no match for .operator\+|invalid operands
#include "roofline/quantities/quantity.hpp"

using namespace roofline;

#ifdef EXPECT_COMPILE_ERROR
auto sum(Flops work, Bytes moved) { return work + moved; }
#else
auto sum(Bytes read, Bytes written) { return read + written; }
#endif
