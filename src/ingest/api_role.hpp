#pragma once

#include <string_view>

#include "roofline/kernel/capture.hpp"

namespace roofline {

/// What a call of CUDA's or HIP's runtime or driver does, by its name: "cudaLaunchKernel_v7000",
/// "cuMemcpyHtoDAsync_v2", "hipGraphLaunch". Suffixes of versions and of per-thread streams do not
/// count. Any other name: ApiRole::other.
capture::ApiRole api_role(std::string_view name);

/// The runtime's calls begin with "cuda", the driver's with "cu". All of HIP are of one domain:
/// none of its calls is recorded within another.
capture::ApiDomain api_domain(std::string_view name);

/// Whether such a call hands work to a GPU: the others are not kept.
bool enqueues(capture::ApiRole role);

}  // namespace roofline
