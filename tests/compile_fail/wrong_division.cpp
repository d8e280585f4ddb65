// Work over bandwidth is not a time.
// expect: could not convert|no viable conversion|cannot convert
#include "roofline/quantities/quantity.hpp"

using namespace roofline;

#ifdef EXPECT_COMPILE_ERROR
Seconds compute_floor(Flops work, ByteRate bandwidth) { return work / bandwidth; }
#else
Seconds compute_floor(Flops work, FlopRate peak) { return work / peak; }
#endif
