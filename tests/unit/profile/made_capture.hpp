#pragma once

#include <string>

#include "roofline/base/byte_stream.hpp"
#include "roofline/kernel/capture.hpp"

namespace roofline {

/// A capture written record by record, as the plug-in does.
class MadeCapture {
 public:
  explicit MadeCapture(const std::string& more_header = "")
      : bytes_(
            "{\"schema\": \"roofline.capture/1\", \"tool\": {\"name\": \"roofline\", \"version\": "
            "\"0.1.0\"}, \"host\": \"node7\", "
            "\"pid\": 4121, \"ppid\": 1, \"mode\": \"trace\", \"command\": \"/opt/bench\", "
            "\"started_unix_ns\": 1800000000000000000" +
            more_header + "}\n") {}

  template <class Record>
  MadeCapture& add(const Record& record) {
    capture::append(bytes_, last_, record);
    return *this;
  }
  MadeCapture& text(std::uint64_t id, std::string value) {
    return add(capture::Text{id, std::move(value)});
  }
  MadeCapture& shape(std::uint64_t id, std::uint64_t name, std::uint64_t grid = 132,
                     std::uint64_t block = 256, std::uint64_t device = 0) {
    capture::Shape shape;
    shape.id = id;
    shape.name = name;
    shape.grid = {grid, 1, 1};
    shape.block = {block, 1, 1};
    shape.registers = 40;
    shape.device = device;
    return add(shape);
  }
  MadeCapture& launch(std::uint64_t shape, std::uint64_t start, std::uint64_t end,
                      std::uint64_t correlation = 0, std::uint64_t graph = 0) {
    return add(capture::Launch{shape, 7, start, end, correlation, graph, 0});
  }
  MadeCapture& call(std::uint64_t start, std::uint64_t end, std::uint64_t correlation,
                    capture::ApiRole role = capture::ApiRole::kernel_launch,
                    std::uint64_t thread = 1) {
    return add(
        capture::Api{0, 307, static_cast<std::uint64_t>(role), thread, start, end, correlation});
  }
  MadeCapture& end() { return text(9999, "exit").add(capture::End{9999}); }

  const std::string& bytes() const { return bytes_; }
  std::string& bytes() { return bytes_; }
  ByteStream stream() const { return ByteStream::of(bytes_, "made.rlf"); }

 private:
  std::string bytes_;
  capture::Last last_;
};

}  // namespace roofline
