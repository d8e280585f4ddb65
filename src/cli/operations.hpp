#pragma once

#include "report/profile/profile_report.hpp"

namespace roofline::cli {

/// Makes work of the operations that imported files tell of their launches: fills
/// `report.operations`, and the reason for each kernel that none could be made of. Nothing is
/// filled where every file is a capture of ours.
void map_operations(ProfileReport& report);

}  // namespace roofline::cli
