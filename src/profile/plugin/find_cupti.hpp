#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace roofline::profile::plugin {

/// Where to look for libcupti besides what the loader knows.
struct CuptiPlaces {
  std::string asked;                        ///< the user's own choice; alone when set
  std::vector<std::string> toolkits;        ///< roots of CUDA toolkits
  std::vector<std::string> python_folders;  ///< site-packages of the program's Python
};
CuptiPlaces cupti_places(const std::string& asked, const char* (*variable)(const char* name));

/// Names and paths to try in turn for a driver of CUDA `driver_major` (0: not known), best first: a
/// CUPTI newer than the driver does not start, an older one does.
std::vector<std::string> cupti_candidates(const CuptiPlaces& places, int driver_major);

/// Major version of CUDA that a cuptiGetVersion belongs to: 24 is 12.6, 130000 is 13.0.
int cuda_major_of_cupti(std::uint32_t version);

/// An opened library and where it came from. `library` is null where none was found; `error` is
/// then what the loader said about the last one.
struct FoundCupti {
  void* library = nullptr;
  std::string path, error;
};
/// The libcupti that the process has already, else the first candidate that opens; never one of the
/// toolkit's stubs.
FoundCupti find_cupti(const CuptiPlaces& places, int driver_major);

}  // namespace roofline::profile::plugin
