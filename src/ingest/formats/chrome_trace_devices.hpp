#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ingest/formats/json_fields.hpp"
#include "roofline/ingest/import_sink.hpp"

namespace roofline {

/// The GPUs that a trace names ("deviceProperties", in 2021 "computeProperties"), which are all of
/// the machine, and those of them that its kernels ran on.
class TraceDevices {
 public:
  /// Reads the list that lies in [begin, end) of an indexed text.
  void read(const char* text, const JsonIndex& index, std::size_t begin, std::size_t end);
  /// A kernel ran on this one.
  void use(std::uint64_t ordinal) {
    if (ordinal == last_) return;
    last_ = ordinal;
    note(ordinal);
  }
  /// Adds those that were used, in the order of their use; all that are listed where no kernel ran.
  void tell(ImportSink& sink) const;
  bool listed() const { return !listed_.empty(); }

 private:
  struct Listed {
    capture::Device facts;
    std::string name;
  };
  void note(std::uint64_t ordinal);
  /// What is known of an ordinal that is not listed: that all GPUs of the machine are of one name.
  const Listed* find(std::uint64_t ordinal) const;

  std::vector<Listed> listed_;
  std::vector<std::uint64_t> used_;
  std::uint64_t last_ = ~std::uint64_t{0};
};

}  // namespace roofline
