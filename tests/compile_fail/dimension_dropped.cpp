// A quantity becomes a number only by value().
// expect: cannot convert|no viable conversion
#include "roofline/quantities/quantity.hpp"

using namespace roofline;

#ifdef EXPECT_COMPILE_ERROR
double bytes_of(Bytes moved) { return moved; }
#else
double bytes_of(Bytes moved) { return moved.value(); }
#endif
