#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ingest/sqlite_reader.hpp"
#include "roofline/ingest/import_sink.hpp"

namespace roofline::formats {

/// The GPUs of an Nsight Systems file. TARGET_INFO_GPU lists all of the machine by `id`; records
/// name theirs by CUDA's ordinal, which each process counts for itself. TARGET_INFO_CUDA_DEVICE
/// joins the two; where it is missing the ordinal is taken as the id, and said to be a guess where
/// GPUs of several kinds leave a choice.
class NsysDevices {
 public:
  explicit NsysDevices(const SqliteFile& file);
  /// The device of a record as the capture counts them. Asked for in the order of the records.
  std::uint64_t ordinal(std::uint64_t cuda_id, std::uint64_t process);
  /// Writes the devices: those used first, in the order of their use.
  void write(ImportSink& sink);

 private:
  struct Gpu {
    std::uint64_t id = 0;
    std::string name, uuid;
    capture::Device facts;
  };
  const Gpu* find(std::uint64_t id) const;
  bool of_one_kind() const;

  std::vector<Gpu> gpus_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t>
      of_process_;                                             // (process, CUDA) -> id
  std::map<std::uint64_t, std::uint64_t> of_cuda_;             // CUDA -> id, first process
  std::vector<std::pair<std::uint64_t, std::uint64_t>> used_;  // ordinal, id
  std::uint64_t guessed_ = 0;
};

}  // namespace roofline::formats
