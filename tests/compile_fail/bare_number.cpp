// A number without a dimension is not a time.
// expect: could not convert|no viable conversion|conversion from .* to non-scalar
#include "roofline/quantities/quantity.hpp"

using namespace roofline;

#ifdef EXPECT_COMPILE_ERROR
Seconds launch_overhead() { return 5e-6; }
#else
Seconds launch_overhead() { return Seconds(5e-6); }
#endif
