// An intensity is compared with a ridge point, not with a peak.
// expect: no match for .operator<|invalid operands
#include "roofline/quantities/quantity.hpp"

using namespace roofline;

bool memory_bound(Intensity intensity, FlopRate peak, ByteRate bandwidth) {
#ifdef EXPECT_COMPILE_ERROR
  return intensity < peak && bandwidth < bandwidth;
#else
  return intensity < peak / bandwidth;
#endif
}
