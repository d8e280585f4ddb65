#include "roofline/quantities/units.hpp"
